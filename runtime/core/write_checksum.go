package core

// The checksum of files, the IEEE CRC-32, of eight bytes at a time (Kounavis and Berry, "A Systematic
// Approach to Building High Performance Software-based CRC Generators", ISCC 2005): most of a
// profile is meta-data, which is written each time.

// dupinstRemainders are its tables: the i-th has those of a byte that i bytes are behind.
var (
	dupinstRemainders     [8][256]uint32
	dupinstRemaindersMade uint32
)

// dupinstChecksumBegin makes the tables. Two threads may do so at once: they write the same.
func dupinstChecksumBegin() {
	if dupinstLoad32(&dupinstRemaindersMade) != 0 {
		return
	}
	for b := range dupinstRemainders[0] {
		c := uint32(b)
		for range 8 {
			c = c>>1 ^ -(c&1)&0xedb88320
		}
		for i := range dupinstRemainders {
			dupinstRemainders[i][b] = c
			for range 8 {
				c = c>>1 ^ -(c&1)&0xedb88320
			}
		}
	}
	dupinstStore32(&dupinstRemaindersMade, 1)
}

// dupinstChecksum is the checksum, not inverted, of what crc is that of, and b behind it.
func dupinstChecksum(crc uint32, b []byte) uint32 {
	t := &dupinstRemainders
	for len(b) >= 8 {
		crc ^= uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		crc = t[7][byte(crc)] ^ t[6][byte(crc>>8)] ^ t[5][byte(crc>>16)] ^ t[4][crc>>24] ^
			t[3][b[4]] ^ t[2][b[5]] ^ t[1][b[6]] ^ t[0][b[7]]
		b = b[8:]
	}
	for _, c := range b {
		crc = crc>>8 ^ t[0][byte(crc)^c]
	}
	return crc
}
