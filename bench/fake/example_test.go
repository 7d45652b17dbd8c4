package fake_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"focus/bench/fake"
	"focus/rollout"
)

func ExampleStart() {
	srv, err := fake.Start(fake.Config{
		Script: fake.Say(func(prompt []rollout.TokenID) []rollout.TokenID { return append(prompt[1:len(prompt):len(prompt)], 2) }),
		Rules:  []fake.Rule{{Fault: fake.HTTP503, To: 1, RetryAfter: "1"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	for range 2 {
		resp, err := http.Post(srv.URL+"/v1/completions", "application/json", strings.NewReader(`{"prompt":[5,6,7],"return_token_ids":true}`))
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(resp.StatusCode, strings.Contains(string(body), `"token_ids":[6,7,2]`))
	}
	http.DefaultClient.CloseIdleConnections()
	// Output:
	// 503 false
	// 200 true
}
