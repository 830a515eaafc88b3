// What is done in loops that keep few registers free, or none.
package main

import "fmt"

func keep8(n uint) (sum uint) {
	a, b, c, d, e, f, g, h := n, n+1, n+2, n+3, n+4, n+5, n+6, n+7
	for a < 90 {
		if b&1 == 0 {
			c += h
		}
		a += b&7 + 1
		b += c + 1
		c += d + 1
		d += e&7 + 1
		e += f + 1
		f += g + 1
		g += h&7 + 1
		h += a + 1
		if e%5 == 2 {
			g ^= d
		}
	}
	return a + b + c + d + e + f + g + h
}

func keep9(n uint) (sum uint) {
	a, b, c, d, e, f, g, h, i := n, n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8
	for a < 90 {
		if b&1 == 0 {
			c += i
		}
		a += b&7 + 1
		b += c + 1
		c += d + 1
		d += e&7 + 1
		e += f + 1
		f += g + 1
		g += h&7 + 1
		h += i + 1
		i += a + 1
		if e%5 == 2 {
			h ^= d
		}
	}
	return a + b + c + d + e + f + g + h + i
}

func keep10(n uint) (sum uint) {
	a, b, c, d, e, f, g, h, i, j := n, n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8, n+9
	for a < 90 {
		if b&1 == 0 {
			c += j
		}
		a += b&7 + 1
		b += c + 1
		c += d + 1
		d += e&7 + 1
		e += f + 1
		f += g + 1
		g += h&7 + 1
		h += i + 1
		i += j + 1
		j += a&7 + 1
		if f%5 == 2 {
			i ^= d
		}
	}
	return a + b + c + d + e + f + g + h + i + j
}

func keep11(n uint) (sum uint) {
	a, b, c, d, e, f, g, h, i, j, k := n, n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8, n+9, n+10
	for a < 90 {
		if b&1 == 0 {
			c += k
		}
		a += b&7 + 1
		b += c + 1
		c += d + 1
		d += e&7 + 1
		e += f + 1
		f += g + 1
		g += h&7 + 1
		h += i + 1
		i += j + 1
		j += k&7 + 1
		k += a + 1
		if f%5 == 2 {
			j ^= d
		}
	}
	return a + b + c + d + e + f + g + h + i + j + k
}

func keep12(n uint) (sum uint) {
	a, b, c, d, e, f, g, h, i, j, k, l := n, n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8, n+9, n+10, n+11
	for a < 90 {
		if b&1 == 0 {
			c += l
		}
		a += b&7 + 1
		b += c + 1
		c += d + 1
		d += e&7 + 1
		e += f + 1
		f += g + 1
		g += h&7 + 1
		h += i + 1
		i += j + 1
		j += k&7 + 1
		k += l + 1
		l += a + 1
		if g%5 == 2 {
			k ^= d
		}
	}
	return a + b + c + d + e + f + g + h + i + j + k + l
}

func keep13(n uint) (sum uint) {
	a, b, c, d, e, f, g, h, i, j, k, l, m := n, n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8, n+9, n+10, n+11, n+12
	for a < 90 {
		if b&1 == 0 {
			c += m
		}
		a += b&7 + 1
		b += c + 1
		c += d + 1
		d += e&7 + 1
		e += f + 1
		f += g + 1
		g += h&7 + 1
		h += i + 1
		i += j + 1
		j += k&7 + 1
		k += l + 1
		l += m + 1
		m += a&7 + 1
		if g%5 == 2 {
			l ^= d
		}
	}
	return a + b + c + d + e + f + g + h + i + j + k + l + m
}

func keep14(n uint) (sum uint) {
	a, b, c, d, e, f, g, h, i, j, k, l, m, n := n, n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8, n+9, n+10, n+11, n+12, n+13
	for a < 90 {
		if b&1 == 0 {
			c += n
		}
		a += b&7 + 1
		b += c + 1
		c += d + 1
		d += e&7 + 1
		e += f + 1
		f += g + 1
		g += h&7 + 1
		h += i + 1
		i += j + 1
		j += k&7 + 1
		k += l + 1
		l += m + 1
		m += n&7 + 1
		n += a + 1
		if h%5 == 2 {
			m ^= d
		}
	}
	return a + b + c + d + e + f + g + h + i + j + k + l + m + n
}

func keep15(n uint) (sum uint) {
	a, b, c, d, e, f, g, h, i, j, k, l, m, n, o := n, n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8, n+9, n+10, n+11, n+12, n+13, n+14
	for a < 90 {
		if b&1 == 0 {
			c += o
		}
		a += b&7 + 1
		b += c + 1
		c += d + 1
		d += e&7 + 1
		e += f + 1
		f += g + 1
		g += h&7 + 1
		h += i + 1
		i += j + 1
		j += k&7 + 1
		k += l + 1
		l += m + 1
		m += n&7 + 1
		n += o + 1
		o += a + 1
		if h%5 == 2 {
			n ^= d
		}
	}
	return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o
}

func keep16(n uint) (sum uint) {
	a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p := n, n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8, n+9, n+10, n+11, n+12, n+13, n+14, n+15
	for a < 90 {
		if b&1 == 0 {
			c += p
		}
		a += b&7 + 1
		b += c + 1
		c += d + 1
		d += e&7 + 1
		e += f + 1
		f += g + 1
		g += h&7 + 1
		h += i + 1
		i += j + 1
		j += k&7 + 1
		k += l + 1
		l += m + 1
		m += n&7 + 1
		n += o + 1
		o += p + 1
		p += a&7 + 1
		if i%5 == 2 {
			o ^= d
		}
	}
	return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p
}

func main() {
	for n := range uint(20) {
		fmt.Println(keep8(n), keep9(n), keep10(n), keep11(n), keep12(n), keep13(n), keep14(n), keep15(n), keep16(n))
	}
}
