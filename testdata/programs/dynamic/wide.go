package main

// wide has more methods than fit into a byte.
type wide interface {
	m000() int; m001() int; m002() int; m003() int; m004() int; m005() int; m006() int; m007() int; m008() int; m009() int
	m010() int; m011() int; m012() int; m013() int; m014() int; m015() int; m016() int; m017() int; m018() int; m019() int
	m020() int; m021() int; m022() int; m023() int; m024() int; m025() int; m026() int; m027() int; m028() int; m029() int
	m030() int; m031() int; m032() int; m033() int; m034() int; m035() int; m036() int; m037() int; m038() int; m039() int
	m040() int; m041() int; m042() int; m043() int; m044() int; m045() int; m046() int; m047() int; m048() int; m049() int
	m050() int; m051() int; m052() int; m053() int; m054() int; m055() int; m056() int; m057() int; m058() int; m059() int
	m060() int; m061() int; m062() int; m063() int; m064() int; m065() int; m066() int; m067() int; m068() int; m069() int
	m070() int; m071() int; m072() int; m073() int; m074() int; m075() int; m076() int; m077() int; m078() int; m079() int
	m080() int; m081() int; m082() int; m083() int; m084() int; m085() int; m086() int; m087() int; m088() int; m089() int
	m090() int; m091() int; m092() int; m093() int; m094() int; m095() int; m096() int; m097() int; m098() int; m099() int
	m100() int; m101() int; m102() int; m103() int; m104() int; m105() int; m106() int; m107() int; m108() int; m109() int
	m110() int; m111() int; m112() int; m113() int; m114() int; m115() int; m116() int; m117() int; m118() int; m119() int
	m120() int; m121() int; m122() int; m123() int; m124() int; m125() int; m126() int; m127() int; m128() int; m129() int
	m130() int; m131() int; m132() int; m133() int; m134() int; m135() int; m136() int; m137() int; m138() int; m139() int
	m140() int; m141() int; m142() int; m143() int; m144() int; m145() int; m146() int; m147() int; m148() int; m149() int
	m150() int; m151() int; m152() int; m153() int; m154() int; m155() int; m156() int; m157() int; m158() int; m159() int
	m160() int; m161() int; m162() int; m163() int; m164() int; m165() int; m166() int; m167() int; m168() int; m169() int
	m170() int; m171() int; m172() int; m173() int; m174() int; m175() int; m176() int; m177() int; m178() int; m179() int
	m180() int; m181() int; m182() int; m183() int; m184() int; m185() int; m186() int; m187() int; m188() int; m189() int
	m190() int; m191() int; m192() int; m193() int; m194() int; m195() int; m196() int; m197() int; m198() int; m199() int
	m200() int; m201() int; m202() int; m203() int; m204() int; m205() int; m206() int; m207() int; m208() int; m209() int
	m210() int; m211() int; m212() int; m213() int; m214() int; m215() int; m216() int; m217() int; m218() int; m219() int
	m220() int; m221() int; m222() int; m223() int; m224() int; m225() int; m226() int; m227() int; m228() int; m229() int
	m230() int; m231() int; m232() int; m233() int; m234() int; m235() int; m236() int; m237() int; m238() int; m239() int
	m240() int; m241() int; m242() int; m243() int; m244() int; m245() int; m246() int; m247() int; m248() int; m249() int
	m250() int; m251() int; m252() int; m253() int; m254() int; m255() int; m256() int; m257() int; m258() int; m259() int
	m260() int; m261() int; m262() int; m263() int; m264() int; m265() int; m266() int; m267() int; m268() int; m269() int
	m270() int; m271() int; m272() int; m273() int; m274() int; m275() int; m276() int; m277() int; m278() int; m279() int
	m280() int; m281() int; m282() int; m283() int; m284() int; m285() int; m286() int; m287() int; m288() int; m289() int
	m290() int; m291() int; m292() int; m293() int; m294() int; m295() int; m296() int; m297() int; m298() int; m299() int
}

type w int

func (x w) m000() int { return int(x) + 0 }
func (x w) m001() int { return int(x) + 1 }
func (x w) m002() int { return int(x) + 2 }
func (x w) m003() int { return int(x) + 3 }
func (x w) m004() int { return int(x) + 4 }
func (x w) m005() int { return int(x) + 5 }
func (x w) m006() int { return int(x) + 6 }
func (x w) m007() int { return int(x) + 7 }
func (x w) m008() int { return int(x) + 8 }
func (x w) m009() int { return int(x) + 9 }
func (x w) m010() int { return int(x) + 10 }
func (x w) m011() int { return int(x) + 11 }
func (x w) m012() int { return int(x) + 12 }
func (x w) m013() int { return int(x) + 13 }
func (x w) m014() int { return int(x) + 14 }
func (x w) m015() int { return int(x) + 15 }
func (x w) m016() int { return int(x) + 16 }
func (x w) m017() int { return int(x) + 17 }
func (x w) m018() int { return int(x) + 18 }
func (x w) m019() int { return int(x) + 19 }
func (x w) m020() int { return int(x) + 20 }
func (x w) m021() int { return int(x) + 21 }
func (x w) m022() int { return int(x) + 22 }
func (x w) m023() int { return int(x) + 23 }
func (x w) m024() int { return int(x) + 24 }
func (x w) m025() int { return int(x) + 25 }
func (x w) m026() int { return int(x) + 26 }
func (x w) m027() int { return int(x) + 27 }
func (x w) m028() int { return int(x) + 28 }
func (x w) m029() int { return int(x) + 29 }
func (x w) m030() int { return int(x) + 30 }
func (x w) m031() int { return int(x) + 31 }
func (x w) m032() int { return int(x) + 32 }
func (x w) m033() int { return int(x) + 33 }
func (x w) m034() int { return int(x) + 34 }
func (x w) m035() int { return int(x) + 35 }
func (x w) m036() int { return int(x) + 36 }
func (x w) m037() int { return int(x) + 37 }
func (x w) m038() int { return int(x) + 38 }
func (x w) m039() int { return int(x) + 39 }
func (x w) m040() int { return int(x) + 40 }
func (x w) m041() int { return int(x) + 41 }
func (x w) m042() int { return int(x) + 42 }
func (x w) m043() int { return int(x) + 43 }
func (x w) m044() int { return int(x) + 44 }
func (x w) m045() int { return int(x) + 45 }
func (x w) m046() int { return int(x) + 46 }
func (x w) m047() int { return int(x) + 47 }
func (x w) m048() int { return int(x) + 48 }
func (x w) m049() int { return int(x) + 49 }
func (x w) m050() int { return int(x) + 50 }
func (x w) m051() int { return int(x) + 51 }
func (x w) m052() int { return int(x) + 52 }
func (x w) m053() int { return int(x) + 53 }
func (x w) m054() int { return int(x) + 54 }
func (x w) m055() int { return int(x) + 55 }
func (x w) m056() int { return int(x) + 56 }
func (x w) m057() int { return int(x) + 57 }
func (x w) m058() int { return int(x) + 58 }
func (x w) m059() int { return int(x) + 59 }
func (x w) m060() int { return int(x) + 60 }
func (x w) m061() int { return int(x) + 61 }
func (x w) m062() int { return int(x) + 62 }
func (x w) m063() int { return int(x) + 63 }
func (x w) m064() int { return int(x) + 64 }
func (x w) m065() int { return int(x) + 65 }
func (x w) m066() int { return int(x) + 66 }
func (x w) m067() int { return int(x) + 67 }
func (x w) m068() int { return int(x) + 68 }
func (x w) m069() int { return int(x) + 69 }
func (x w) m070() int { return int(x) + 70 }
func (x w) m071() int { return int(x) + 71 }
func (x w) m072() int { return int(x) + 72 }
func (x w) m073() int { return int(x) + 73 }
func (x w) m074() int { return int(x) + 74 }
func (x w) m075() int { return int(x) + 75 }
func (x w) m076() int { return int(x) + 76 }
func (x w) m077() int { return int(x) + 77 }
func (x w) m078() int { return int(x) + 78 }
func (x w) m079() int { return int(x) + 79 }
func (x w) m080() int { return int(x) + 80 }
func (x w) m081() int { return int(x) + 81 }
func (x w) m082() int { return int(x) + 82 }
func (x w) m083() int { return int(x) + 83 }
func (x w) m084() int { return int(x) + 84 }
func (x w) m085() int { return int(x) + 85 }
func (x w) m086() int { return int(x) + 86 }
func (x w) m087() int { return int(x) + 87 }
func (x w) m088() int { return int(x) + 88 }
func (x w) m089() int { return int(x) + 89 }
func (x w) m090() int { return int(x) + 90 }
func (x w) m091() int { return int(x) + 91 }
func (x w) m092() int { return int(x) + 92 }
func (x w) m093() int { return int(x) + 93 }
func (x w) m094() int { return int(x) + 94 }
func (x w) m095() int { return int(x) + 95 }
func (x w) m096() int { return int(x) + 96 }
func (x w) m097() int { return int(x) + 97 }
func (x w) m098() int { return int(x) + 98 }
func (x w) m099() int { return int(x) + 99 }
func (x w) m100() int { return int(x) + 100 }
func (x w) m101() int { return int(x) + 101 }
func (x w) m102() int { return int(x) + 102 }
func (x w) m103() int { return int(x) + 103 }
func (x w) m104() int { return int(x) + 104 }
func (x w) m105() int { return int(x) + 105 }
func (x w) m106() int { return int(x) + 106 }
func (x w) m107() int { return int(x) + 107 }
func (x w) m108() int { return int(x) + 108 }
func (x w) m109() int { return int(x) + 109 }
func (x w) m110() int { return int(x) + 110 }
func (x w) m111() int { return int(x) + 111 }
func (x w) m112() int { return int(x) + 112 }
func (x w) m113() int { return int(x) + 113 }
func (x w) m114() int { return int(x) + 114 }
func (x w) m115() int { return int(x) + 115 }
func (x w) m116() int { return int(x) + 116 }
func (x w) m117() int { return int(x) + 117 }
func (x w) m118() int { return int(x) + 118 }
func (x w) m119() int { return int(x) + 119 }
func (x w) m120() int { return int(x) + 120 }
func (x w) m121() int { return int(x) + 121 }
func (x w) m122() int { return int(x) + 122 }
func (x w) m123() int { return int(x) + 123 }
func (x w) m124() int { return int(x) + 124 }
func (x w) m125() int { return int(x) + 125 }
func (x w) m126() int { return int(x) + 126 }
func (x w) m127() int { return int(x) + 127 }
func (x w) m128() int { return int(x) + 128 }
func (x w) m129() int { return int(x) + 129 }
func (x w) m130() int { return int(x) + 130 }
func (x w) m131() int { return int(x) + 131 }
func (x w) m132() int { return int(x) + 132 }
func (x w) m133() int { return int(x) + 133 }
func (x w) m134() int { return int(x) + 134 }
func (x w) m135() int { return int(x) + 135 }
func (x w) m136() int { return int(x) + 136 }
func (x w) m137() int { return int(x) + 137 }
func (x w) m138() int { return int(x) + 138 }
func (x w) m139() int { return int(x) + 139 }
func (x w) m140() int { return int(x) + 140 }
func (x w) m141() int { return int(x) + 141 }
func (x w) m142() int { return int(x) + 142 }
func (x w) m143() int { return int(x) + 143 }
func (x w) m144() int { return int(x) + 144 }
func (x w) m145() int { return int(x) + 145 }
func (x w) m146() int { return int(x) + 146 }
func (x w) m147() int { return int(x) + 147 }
func (x w) m148() int { return int(x) + 148 }
func (x w) m149() int { return int(x) + 149 }
func (x w) m150() int { return int(x) + 150 }
func (x w) m151() int { return int(x) + 151 }
func (x w) m152() int { return int(x) + 152 }
func (x w) m153() int { return int(x) + 153 }
func (x w) m154() int { return int(x) + 154 }
func (x w) m155() int { return int(x) + 155 }
func (x w) m156() int { return int(x) + 156 }
func (x w) m157() int { return int(x) + 157 }
func (x w) m158() int { return int(x) + 158 }
func (x w) m159() int { return int(x) + 159 }
func (x w) m160() int { return int(x) + 160 }
func (x w) m161() int { return int(x) + 161 }
func (x w) m162() int { return int(x) + 162 }
func (x w) m163() int { return int(x) + 163 }
func (x w) m164() int { return int(x) + 164 }
func (x w) m165() int { return int(x) + 165 }
func (x w) m166() int { return int(x) + 166 }
func (x w) m167() int { return int(x) + 167 }
func (x w) m168() int { return int(x) + 168 }
func (x w) m169() int { return int(x) + 169 }
func (x w) m170() int { return int(x) + 170 }
func (x w) m171() int { return int(x) + 171 }
func (x w) m172() int { return int(x) + 172 }
func (x w) m173() int { return int(x) + 173 }
func (x w) m174() int { return int(x) + 174 }
func (x w) m175() int { return int(x) + 175 }
func (x w) m176() int { return int(x) + 176 }
func (x w) m177() int { return int(x) + 177 }
func (x w) m178() int { return int(x) + 178 }
func (x w) m179() int { return int(x) + 179 }
func (x w) m180() int { return int(x) + 180 }
func (x w) m181() int { return int(x) + 181 }
func (x w) m182() int { return int(x) + 182 }
func (x w) m183() int { return int(x) + 183 }
func (x w) m184() int { return int(x) + 184 }
func (x w) m185() int { return int(x) + 185 }
func (x w) m186() int { return int(x) + 186 }
func (x w) m187() int { return int(x) + 187 }
func (x w) m188() int { return int(x) + 188 }
func (x w) m189() int { return int(x) + 189 }
func (x w) m190() int { return int(x) + 190 }
func (x w) m191() int { return int(x) + 191 }
func (x w) m192() int { return int(x) + 192 }
func (x w) m193() int { return int(x) + 193 }
func (x w) m194() int { return int(x) + 194 }
func (x w) m195() int { return int(x) + 195 }
func (x w) m196() int { return int(x) + 196 }
func (x w) m197() int { return int(x) + 197 }
func (x w) m198() int { return int(x) + 198 }
func (x w) m199() int { return int(x) + 199 }
func (x w) m200() int { return int(x) + 200 }
func (x w) m201() int { return int(x) + 201 }
func (x w) m202() int { return int(x) + 202 }
func (x w) m203() int { return int(x) + 203 }
func (x w) m204() int { return int(x) + 204 }
func (x w) m205() int { return int(x) + 205 }
func (x w) m206() int { return int(x) + 206 }
func (x w) m207() int { return int(x) + 207 }
func (x w) m208() int { return int(x) + 208 }
func (x w) m209() int { return int(x) + 209 }
func (x w) m210() int { return int(x) + 210 }
func (x w) m211() int { return int(x) + 211 }
func (x w) m212() int { return int(x) + 212 }
func (x w) m213() int { return int(x) + 213 }
func (x w) m214() int { return int(x) + 214 }
func (x w) m215() int { return int(x) + 215 }
func (x w) m216() int { return int(x) + 216 }
func (x w) m217() int { return int(x) + 217 }
func (x w) m218() int { return int(x) + 218 }
func (x w) m219() int { return int(x) + 219 }
func (x w) m220() int { return int(x) + 220 }
func (x w) m221() int { return int(x) + 221 }
func (x w) m222() int { return int(x) + 222 }
func (x w) m223() int { return int(x) + 223 }
func (x w) m224() int { return int(x) + 224 }
func (x w) m225() int { return int(x) + 225 }
func (x w) m226() int { return int(x) + 226 }
func (x w) m227() int { return int(x) + 227 }
func (x w) m228() int { return int(x) + 228 }
func (x w) m229() int { return int(x) + 229 }
func (x w) m230() int { return int(x) + 230 }
func (x w) m231() int { return int(x) + 231 }
func (x w) m232() int { return int(x) + 232 }
func (x w) m233() int { return int(x) + 233 }
func (x w) m234() int { return int(x) + 234 }
func (x w) m235() int { return int(x) + 235 }
func (x w) m236() int { return int(x) + 236 }
func (x w) m237() int { return int(x) + 237 }
func (x w) m238() int { return int(x) + 238 }
func (x w) m239() int { return int(x) + 239 }
func (x w) m240() int { return int(x) + 240 }
func (x w) m241() int { return int(x) + 241 }
func (x w) m242() int { return int(x) + 242 }
func (x w) m243() int { return int(x) + 243 }
func (x w) m244() int { return int(x) + 244 }
func (x w) m245() int { return int(x) + 245 }
func (x w) m246() int { return int(x) + 246 }
func (x w) m247() int { return int(x) + 247 }
func (x w) m248() int { return int(x) + 248 }
func (x w) m249() int { return int(x) + 249 }
func (x w) m250() int { return int(x) + 250 }
func (x w) m251() int { return int(x) + 251 }
func (x w) m252() int { return int(x) + 252 }
func (x w) m253() int { return int(x) + 253 }
func (x w) m254() int { return int(x) + 254 }
func (x w) m255() int { return int(x) + 255 }
func (x w) m256() int { return int(x) + 256 }
func (x w) m257() int { return int(x) + 257 }
func (x w) m258() int { return int(x) + 258 }
func (x w) m259() int { return int(x) + 259 }
func (x w) m260() int { return int(x) + 260 }
func (x w) m261() int { return int(x) + 261 }
func (x w) m262() int { return int(x) + 262 }
func (x w) m263() int { return int(x) + 263 }
func (x w) m264() int { return int(x) + 264 }
func (x w) m265() int { return int(x) + 265 }
func (x w) m266() int { return int(x) + 266 }
func (x w) m267() int { return int(x) + 267 }
func (x w) m268() int { return int(x) + 268 }
func (x w) m269() int { return int(x) + 269 }
func (x w) m270() int { return int(x) + 270 }
func (x w) m271() int { return int(x) + 271 }
func (x w) m272() int { return int(x) + 272 }
func (x w) m273() int { return int(x) + 273 }
func (x w) m274() int { return int(x) + 274 }
func (x w) m275() int { return int(x) + 275 }
func (x w) m276() int { return int(x) + 276 }
func (x w) m277() int { return int(x) + 277 }
func (x w) m278() int { return int(x) + 278 }
func (x w) m279() int { return int(x) + 279 }
func (x w) m280() int { return int(x) + 280 }
func (x w) m281() int { return int(x) + 281 }
func (x w) m282() int { return int(x) + 282 }
func (x w) m283() int { return int(x) + 283 }
func (x w) m284() int { return int(x) + 284 }
func (x w) m285() int { return int(x) + 285 }
func (x w) m286() int { return int(x) + 286 }
func (x w) m287() int { return int(x) + 287 }
func (x w) m288() int { return int(x) + 288 }
func (x w) m289() int { return int(x) + 289 }
func (x w) m290() int { return int(x) + 290 }
func (x w) m291() int { return int(x) + 291 }
func (x w) m292() int { return int(x) + 292 }
func (x w) m293() int { return int(x) + 293 }
func (x w) m294() int { return int(x) + 294 }
func (x w) m295() int { return int(x) + 295 }
func (x w) m296() int { return int(x) + 296 }
func (x w) m297() int { return int(x) + 297 }
func (x w) m298() int { return int(x) + 298 }
func (x w) m299() int { return int(x) + 299 }

func wider(x wide) int { return x.m003() + x.m255() + x.m256() + x.m299() }
