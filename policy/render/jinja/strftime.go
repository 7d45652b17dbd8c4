package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// strftime is datetime.strftime of a naive time in the C locale, glibc's extensions and flags included.
func strftime(t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		start := i
		i++
		flags := i
		for i < len(format) && strings.IndexByte("-_0^#", format[i]) >= 0 {
			i++
		}
		flag := format[flags:i]
		if i == len(format) {
			b.WriteString(format[start:])
			break
		}
		s, ok := directive(t, format[i])
		if !ok {
			b.WriteString(format[start : i+1])
			continue
		}
		b.WriteString(flagged(s, flag, format[i]))
	}
	return b.String()
}

// flagged applies glibc's flags: - drops padding, _ pads with spaces, 0 with zeros, ^ and # change case.
func flagged(s, flags string, c byte) string {
	spaces := c == 'e' || c == 'k' || c == 'l'
	for _, f := range flags {
		switch f {
		case '-':
			if isASCIIDigits(s) || spaces {
				s = strings.TrimLeft(s, " ")
				for len(s) > 1 && s[0] == '0' {
					s = s[1:]
				}
			}
		case '_':
			if isASCIIDigits(s) {
				n := strings.TrimLeft(s[:len(s)-1], "0")
				s = strings.Repeat(" ", len(s)-1-len(n)) + n + s[len(s)-1:]
			}
		case '0':
			s = strings.ReplaceAll(s, " ", "0")
		case '^':
			s = strings.ToUpper(s)
		case '#':
			if c == 'p' {
				s = strings.ToLower(s)
			} else {
				s = strings.ToUpper(s)
			}
		}
	}
	return s
}

func isASCIIDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func directive(t time.Time, c byte) (string, bool) {
	two := func(n int) string { return fmt.Sprintf("%02d", n) }
	wide := func(n int) string { return fmt.Sprintf("%2d", n) }
	hour12 := (t.Hour()+11)%12 + 1
	isoYear, isoWeek := t.ISOWeek()
	switch c {
	case 'a':
		return t.Format("Mon"), true
	case 'A':
		return t.Format("Monday"), true
	case 'b', 'h':
		return t.Format("Jan"), true
	case 'B':
		return t.Format("January"), true
	case 'd':
		return two(t.Day()), true
	case 'e':
		return wide(t.Day()), true
	case 'm':
		return two(int(t.Month())), true
	case 'y':
		return two(t.Year() % 100), true
	case 'Y':
		return strconv.Itoa(t.Year()), true
	case 'C':
		return two(t.Year() / 100), true
	case 'G':
		return strconv.Itoa(isoYear), true
	case 'g':
		return two(isoYear % 100), true
	case 'V':
		return two(isoWeek), true
	case 'j':
		return fmt.Sprintf("%03d", t.YearDay()), true
	case 'U':
		return two((t.YearDay() - 1 + 7 - int(t.Weekday())) / 7), true
	case 'W':
		return two((t.YearDay() - 1 + 7 - (int(t.Weekday())+6)%7) / 7), true
	case 'w':
		return strconv.Itoa(int(t.Weekday())), true
	case 'u':
		return strconv.Itoa((int(t.Weekday())+6)%7 + 1), true
	case 'H':
		return two(t.Hour()), true
	case 'k':
		return wide(t.Hour()), true
	case 'I':
		return two(hour12), true
	case 'l':
		return wide(hour12), true
	case 'M':
		return two(t.Minute()), true
	case 'S':
		return two(t.Second()), true
	case 'f':
		return fmt.Sprintf("%06d", t.Nanosecond()/1000), true
	case 'p':
		return t.Format("PM"), true
	case 'P':
		return t.Format("pm"), true
	case 's':
		return strconv.FormatInt(t.Unix(), 10), true
	case 'z', 'Z':
		return "", true
	case 'c':
		return t.Format("Mon Jan _2 15:04:05 2006"), true
	case 'x', 'D':
		return t.Format("01/02/06"), true
	case 'X', 'T':
		return t.Format("15:04:05"), true
	case 'F':
		return t.Format("2006-01-02"), true
	case 'R':
		return t.Format("15:04"), true
	case 'r':
		return t.Format("03:04:05 PM"), true
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case '%':
		return "%", true
	}
	return "", false
}
