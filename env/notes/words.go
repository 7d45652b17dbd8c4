package notes

// names are short, capitalised once, and none is part of another, so that a
// search for one finds one.
var names = []string{
	"Ada", "Bruno", "Cleo", "Dario", "Edith", "Felix", "Greta", "Hanno", "Iris", "Jonas",
	"Kira", "Luca", "Milo", "Nora", "Oskar", "Petra", "Quinn", "Rosa", "Stefan", "Tilda",
	"Ugo", "Vera", "Willem", "Xenia", "Yusuf", "Zelda", "Amir", "Bela", "Carmen", "Dunja",
	"Emil", "Freya", "Gustav", "Helga", "Ivo", "Jutta", "Kaspar", "Lena", "Magnus", "Nils",
	"Olga", "Pablo", "Ravi", "Selma", "Tomas", "Uma", "Viktor", "Wanda", "Yara", "Zoran",
	"Agnes", "Boris", "Clara", "Dmitri", "Elsa", "Fabio", "Gwen", "Henrik", "Inga", "Jasper",
}

// relations lead to another person.
var relations = []string{"boss", "friend", "coach", "cousin", "tutor", "rival"}

// attribute is a key with the values it takes.
type attribute struct {
	key    string
	values []string
}

var attributes = []attribute{
	{"food", []string{"rice", "soup", "bread", "salad", "pasta", "curry", "stew", "tofu"}},
	{"city", []string{"Oslo", "Lima", "Cairo", "Kyoto", "Porto", "Quito", "Turin", "Basel"}},
	{"pet", []string{"cat", "dog", "goat", "frog", "owl", "fish", "pony", "snail"}},
	{"color", []string{"red", "blue", "green", "black", "white", "pink", "gold", "grey"}},
	{"sport", []string{"golf", "chess", "judo", "rugby", "polo", "rowing", "tennis", "skiing"}},
	{"job", []string{"baker", "pilot", "nurse", "judge", "tailor", "farmer", "clerk", "miner"}},
}

// errands fill notes with lines that nobody asks for.
var errands = []string{
	"walk", "tea", "train", "market", "letter", "garden", "museum", "bank", "post", "song",
	"paint", "repair", "lunch", "visit", "phone", "clean", "read", "swim", "cook", "sleep",
}
