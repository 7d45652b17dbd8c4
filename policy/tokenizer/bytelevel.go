package tokenizer

import "strings"

// GPT-2's alphabet: every byte has a printable character that stands for it, itself
// where it is printable in Latin-1, else one of U+0100 and on, in order.

// byteRune is the character of a byte.
func byteRune(b byte) rune {
	switch {
	case '!' <= b && b <= '~', 0xA1 <= b && b <= 0xAC, b >= 0xAE:
		return rune(b)
	case b <= ' ':
		return 0x100 + rune(b)
	case b < 0xA1: // 0x7F..0xA0
		return 0x100 + 33 + rune(b-0x7F)
	default: // 0xAD
		return 0x100 + 33 + 34
	}
}

// runeByte is the byte that a character of the alphabet stands for.
func runeByte(r rune) (byte, bool) {
	switch {
	case '!' <= r && r <= '~', 0xA1 <= r && r <= 0xFF && r != 0xAD:
		return byte(r), true
	case r < 0x100 || r > 0x100+33+34:
		return 0, false
	case r <= 0x100+' ':
		return byte(r - 0x100), true
	case r < 0x100+33+34:
		return byte(r - 0x100 - 33 + 0x7F), true
	default:
		return 0xAD, true
	}
}

// appendRaw appends the bytes that spelling stands for; false, and dst as it was, when
// a character is not of the alphabet.
func appendRaw(dst []byte, spelling string) ([]byte, bool) {
	n := len(dst)
	for _, r := range spelling {
		b, ok := runeByte(r)
		if !ok {
			return dst[:n], false
		}
		dst = append(dst, b)
	}
	return dst, true
}

// spellBytes is raw as the alphabet spells it.
func spellBytes(raw string) string {
	var b strings.Builder
	b.Grow(len(raw) + len(raw)/4)
	for i := range len(raw) {
		b.WriteRune(byteRune(raw[i]))
	}
	return b.String()
}
