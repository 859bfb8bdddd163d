INSERT INTO cognitive.agent_state VALUES
	('desk', 21, 5, 20, 20, 4, 149, 179, 'chaos/words', 'english', NULL, false),
	('other', 2, 1, 1, 1, 0, 6, 6, 'chaos/words', 'english', NULL, false);
INSERT INTO cognitive.artifact VALUES
	('desk', '6ce59bf3-4bff-50ce-a3c6-aa556a34cf00', 'monday', 'turn-0', 'output', 'tool', '2026-11-23 21:55:37.635074+00', 'tool', NULL, 15389, '{}');
INSERT INTO cognitive.artifact_chunk VALUES
	('desk', '6ce59bf3-4bff-50ce-a3c6-aa556a34cf00', 0, 0, 1, 'Parcel 0 passed the harbour.
Parcel 1 passed the harbour.
Parcel 2 passed the harbour.
Parcel 3 passed the harbour.
Parcel 4 passed the harbour.
Parcel 5 passed the harbour.
Parcel 6 passed the harbour.
Parcel 7 passed the harbour.
Parcel 8 passed the harbour.
Parcel 9 passed the harbour.
Parcel 10 passed the harbour.
Parcel 11 passed the harbour.
Parcel 12 passed the harbour.
Parcel 13 passed the harbour.
Parcel 14 passed the harbour.
Parcel 15 passed the harbour.
Parcel 16 passed the harbour.
Parcel 17 passed the harbour.
Parcel 18 passed the harbour.
Parcel 19 passed the harbour.
Parcel 20 passed the harbour.
Parcel 21 passed the harbour.
Parcel 22 passed the harbour.
Parcel 23 passed the harbour.
Parcel 24 passed the harbour.
Parcel 25 passed the harbour.
Parcel 26 passed the harbour.
Parcel 27 passed the harbour.
Parcel 28 passed the harbour.
Parcel 29 passed the harbour.
Parcel 30 passed the harbour.
Parcel 31 passed the harbour.
Parcel 32 passed the harbour.
Parcel 33 passed the harbour.
Parcel 34 passed the harbour.
Parcel 35 passed the harbour.
Parcel 36 passed the harbour.
Parcel 37 passed the harbour.
Parcel 38 passed the harbour.
Parcel 39 passed the harbour.
Parcel 40 passed the harbour.
Parcel 41 passed the harbour.
Parcel 42 passed the harbour.
Parcel 43 passed the harbour.
Parcel 44 passed the harbour.
Parcel 45 passed the harbour.
Parcel 46 passed the harbour.
Parcel 47 passed the harbour.
Parcel 48 passed the harbour.
Parcel 49 passed the harbour.
Parcel 50 passed the harbour.
Parcel 51 passed the harbour.
Parcel 52 passed the harbour.
Parcel 53 passed the harbour.
Parcel 54 passed the harbour.
Parcel 55 passed the harbour.
Parcel 56 passed the harbour.
Parcel 57 passed the harbour.
Parcel 58 passed the harbour.
Parcel 59 passed the harbour.
Parcel 60 passed the harbour.
Parcel 61 passed the harbour.
Parcel 62 passed the harbour.
Parcel 63 passed the harbour.
Parcel 64 passed the harbour.
Parcel 65 passed the harbour.
Parcel 66 passed the harbour.
Parcel 67 passed the harbour.
Parcel 68 passed the harbour.
Parcel 69 passed the harbour.
Parcel 70 passed the harbour.
Parcel 71 passed the harbour.
Parcel 72 passed the harbour.
Parcel 73 passed the harbour.
Parcel 74 passed the harbour.
Parcel 75 passed the harbour.
Parcel 76 passed the harbour.
Parcel 77 passed the harbour.
Parcel 78 passed the harbour.
Parcel 79 passed the harbour.
Parcel 80 passed the harbour.
Parcel 81 passed the harbour.
Parcel 82 passed the harbour.
Parcel 83 passed the harbour.
Parcel 84 passed the harbour.
Parcel 85 passed the harbour.
Parcel 86 passed the harbour.
Parcel 87 passed the harbour.
Parcel 88 passed the harbour.
Parcel 89 passed the harbour.
Parcel 90 passed the harbour.
Parcel 91 passed the harbour.
Parcel 92 passed the harbour.
Parcel 93 passed the harbour.
Parcel 94 passed the harbour.
Parcel 95 passed the harbour.
Parcel 96 passed the harbour.
Parcel 97 passed the harbour.
Parcel 98 passed the harbour.
Parcel 99 passed the harbour.
Parcel 100 passed the harbour.
Parcel 101 passed the harbour.
Parcel 102 passed the harbour.
Parcel 103 passed the harbour.
Parcel 104 passed the harbour.
Parcel 105 passed the harbour.
Parcel 106 passed the harbour.
Parcel 107 passed the harbour.
Parcel 108 passed the harbour.
Parcel 109 passed the harbour.
Parcel 110 passed the harbour.
Parcel 111 passed the harbour.
Parcel 112 passed the harbour.
Parcel 113 passed the harbour.
Parcel 114 passed the harbour.
Parcel 115 passed the harbour.
Parcel 116 passed the harbour.
Parcel 117 passed the harbour.
Parcel 118 passed the harbour.
Parcel 119 passed the harbour.
Parcel 120 passed the harbour.
Parcel 121 passed the harbour.
Parcel 122 passed the harbour.
Parcel 123 passed the harbour.
Parcel 124 passed the harbour.
Parcel 125 passed the harbour.
Parcel 126 passed the harbour.
Parcel 127 passed the harbour.
Parcel 128 passed the harbour.
Parcel 129 passed the harbour.
Parcel 130 passed the harbour.
Parcel 131 passed the harbour.
Parcel 132 passed the harbour.
Parcel 133 passed the harbour.
Parcel 134 passed the harbour.
Parcel 135 passed the harbour.
Parcel 136 passed the harbour.
Parcel 137 passed the harbour.
Parcel 138 passed the harbour.
Parcel 139 passed the harbour.
Parcel 140 passed the harbour.
Parcel 141 passed the harbour.
Parcel 142 passed the harbour.
Parcel 143 passed the harbour.
Parcel 144 passed the harbour.
Parcel 145 passed the harbour.
Parcel 146 passed the harbour.
Parcel 147 passed the harbour.
Parcel 148 passed the harbour.
Parcel 149 passed the harbour.
Parcel 150 passed the harbour.
Parcel 151 passed the harbour.
Parcel 152 passed the harbour.
Parcel 153 passed the harbour.
Parcel 154 passed the harbour.
Parcel 155 passed the harbour.
Parcel 156 passed the harbour.
Parcel 157 passed the harbour.
Parcel 158 passed the harbour.
Parcel 159 passed the harbour.
Parcel 160 passed the harbour.
Parcel 161 passed the harbour.
Parcel 162 passed the harbour.
Parcel 163 passed the harbour.
Parcel 164 passed the harbour.
Parcel 165 passed the harbour.
Parcel 166 passed the harbour.
Parcel 167 passed the harbour.
Parcel 168 passed the harbour.
Parcel 169 passed the harbour.
Parcel 170 passed the harbour.
Parcel 171 passed the harbour.
Parcel 172 passed the harbour.
Parcel 173 passed the harbour.
Parcel 174 passed the harbour.
Parcel 175 passed the harbour.
Parcel 176 passed the harbour.
Parcel 177 passed the harbour.
Parcel 178 passed the harbour.
Parcel 179 passed the harbour.
Parcel 180 passed the harbour.
Parcel 181 passed the harbour.
Parcel 182 passed the harbour.
Parcel 183 passed the harbour.
Parcel 184 passed the harbour.
Parcel 185 passed the harbour.
Parcel 186 passed the harbour.
Parcel 187 passed the harbour.
Parcel 188 passed the harbour.
Parcel 189 passed the harbour.
Parcel 190 passed the harbour.
Parcel 191 passed the harbour.
Parcel 192 passed the harbour.
Parcel 193 passed the harbour.
Parcel 194 passed the harbour.
Parcel 195 passed the harbour.
Parcel 196 passed the harbour.
Parcel 197 passed the harbour.
Parcel 198 passed the harbour.
Parcel 199 passed the harbour.
Parcel 200 passed the harbour.
Parcel 201 passed the harbour.
Parcel 202 passed the harbour.
Parcel 203 passed the harbour.
Parcel 204 passed the harbour.
Parcel 205 passed the harbour.
Parcel 206 passed the harbour.
Parcel 207 passed the harbour.
Parcel 208 passed the harbour.
Parcel 209 passed the harbour.
Parcel 210 passed the harbour.
Parcel 211 passed the harbour.
Parcel 212 passed the harbour.
Parcel 213 passed the harbour.
Parcel 214 passed the harbour.
Parcel 215 passed the harbour.
Parcel 216 passed the harbour.
Parcel 217 passed the harbour.
Parcel 218 passed the harbour.
Parcel 219 passed the harbour.
Parcel 220 passed the harbour.
Parcel 221 passed the harbour.
Parcel 222 passed the harbour.
Parcel 223 passed the harbour.
Parcel 224 passed the harbour.
Parcel 225 passed the harbour.
Parcel 226 passed the harbour.
Parcel 227 passed the harbour.
Parcel 228 passed the harbour.
Parcel 229 passed the harbour.
Parcel 230 passed the harbour.
Parcel 231 passed the harbour.
Parcel 232 passed the harbour.
Parcel 233 passed the harbour.
Parcel 234 passed the harbour.
Parcel 235 passed the harbour.
Parcel 236 passed the harbour.
Parcel 237 passed the harbour.
Parcel 238 passed the harbour.
Parcel 239 passed the harbour.
Parcel 240 passed the harbour.
Parcel 241 passed the harbour.
Parcel 242 passed the harbour.
Parcel 243 passed the harbour.
Parcel 244 passed the harbour.
Parcel 245 passed the harbour.
Parcel 246 passed the harbour.
Parcel 247 passed the harbour.
Parcel 248 passed the harbour.
Parcel 249 passed the harbour.
Parcel 250 passed the harbour.
Parcel 251 passed the harbour.
Parcel 252 passed the harbour.
Parcel 253 passed the harbour.
Parcel 254 passed the harbour.
Parcel 255 passed the harbour.
Parcel 256 passed the harbour.
Parcel 257 passed the harbour.
Parcel 258 passed the harbour.
Parcel 259 passed the harbour.
Parcel 260 passed the harbour.
Parcel 261 passed the harbour.
Parcel 262 passed the harbour.
Parcel 263 passed the harbour.
Parcel 264 passed the harbour.
Parcel 265 passed the harbour.
Parcel 266 passed the harbour.
Parcel 267 passed the harbour.
Parcel 268 passed the harbour.
Parcel 269 passed the harbour.
Parcel 270 passed the harbour.
Parcel 271 passed the harbour.
Parcel 272 passed the harbour.
Parcel 273 passed the harbour.
Parcel 274 passed the harbour.
Parcel 275 passed the harbour.
Parcel 276 passed the harbour.
Parcel 277 passed the harbour.
Parcel 278 passed the harbour.
Parcel 279 passed the harbour.
Parcel 280 passed the harbour.
Parcel 281 passed the harbour.
Parcel 282 passed the harbour.
Parcel 283 passed the harbour.
Parcel 284 passed the harbour.
Parcel 285 passed the harbour.
Parcel 286 passed the harbour.
Parcel 287 passed the harbour.
Parcel 288 passed the harbour.
Parcel 289 passed the harbour.
Parcel 290 passed the harbour.
Parcel 291 passed the harbour.
Parcel 292 passed the harbour.
Parcel 293 passed the harbour.
Parcel 294 passed the harbour.
Parcel 295 passed the harbour.
Parcel 296 passed the harbour.
Parcel 297 passed the harbour.
Parcel 298 passed the harbour.
Parcel 299 passed the harbour.
Parcel 300 passed the harbour.
Parcel 301 passed the harbour.
Parcel 302 passed the harbour.
Parcel 303 passed the harbour.
Parcel 304 passed the harbour.
Parcel 305 passed the harbour.
Parcel 306 passed the harbour.
Parcel 307 passed the harbour.
Parcel 308 passed the harbour.
Parcel 309 passed the harbour.
Parcel 310 passed the harbour.
Parcel 311 passed the harbour.
Parcel 312 passed the harbour.
Parcel 313 passed the harbour.
Parcel 314 passed the harbour.
Parcel 315 passed the harbour.
Parcel 316 passed the harbour.
Parcel 317 passed the harbour.
Parcel 318 passed the harbour.
Parcel 319 passed the harbour.
Parcel 320 passed the harbour.
Parcel 321 passed the harbour.
Parcel 322 passed the harbour.
Parcel 323 passed the harbour.
Parcel 324 passed the harbour.
Parcel 325 passed the harbour.
Parcel 326 passed the harbour.
Parcel 327 passed the harbour.
Parcel 328 passed the harbour.
Parcel 329 passed the harbour.
Parcel 330 passed the harbour.
Parcel 331 passed the harbour.
Parcel 332 passed the harbour.
Parcel 333 passed the harbour.
Parcel 334 passed the harbour.
Parcel 335 passed the harbour.
Parcel 336 passed the harbour.
Parcel 337 passed the harbour.
Parcel 338 passed the harbour.
Parcel 339 passed the harbour.
Parcel 340 passed the harbour.
Parcel 341 passed the harbour.
Parcel 342 passed the harbour.
Parcel 343 passed the harbour.
Parcel 344 passed the harbour.
Parcel 345 passed the harbour.
Parcel 346 passed the harbour.
Parcel 347 passed the harbour.
Parcel 348 passed the harbour.
Parcel 349 passed the harbour.
Parcel 350 passed the harbour.
Parcel 351 passed the harbour.
Parcel 352 passed the harbour.
Parcel 353 passed the harbour.
Parcel 354 passed the harbour.
Parcel 355 passed the harbour.
Parcel 356 passed the harbour.
Parcel 357 passed the harbour.
Parcel 358 passed the harbour.
Parcel 359 passed the harbour.
Parcel 360 passed the harbour.
Parcel 361 passed the harbour.
Parcel 362 passed the harbour.
Parcel 363 passed the harbour.
Parcel 364 passed the harbour.
Parcel 365 passed the harbour.
Parcel 366 passed the harbour.
Parcel 367 passed the harbour.
Parcel 368 passed the harbour.
Parcel 369 passed the harbour.
Parcel 370 passed the harbour.
Parcel 371 passed the harbour.
Parcel 372 passed the harbour.
Parcel 373 passed the harbour.
Parcel 374 passed the harbour.
Parcel 375 passed the harbour.
Parcel 376 passed the harbour.
Parcel 377 passed the harbour.
Parcel 378 passed the harbour.
Parcel 379 passed the harbour.
Parcel 380 passed the harbour.
Parcel 381 passed the harbour.
Parcel 382 passed the harbour.
Parcel 383 passed the harbour.
Parcel 384 passed the harbour.
Parcel 385 passed the harbour.
Parcel 386 passed the harbour.
Parcel 387 passed the harbour.
Parcel 388 passed the harbour.
Parcel 389 passed the harbour.
Parcel 390 passed the harbour.
Parcel 391 passed the harbour.
Parcel 392 passed the harbour.
Parcel 393 passed the harbour.
Parcel 394 passed the harbour.
Parcel 395 passed the harbour.
Parcel 396 passed the harbour.
Parcel 397 passed the harbour.
Parcel 398 passed the harbour.
Parcel 399 passed the harbour.
Parcel 400 passed the harbour.
Parcel 401 passed the harbour.
Parcel 402 passed the harbour.
Parcel 403 passed the harbour.
Parcel 404 passed the harbour.
Parcel 405 passed the harbour.
Parcel 406 passed the harbour.
Parcel 407 passed the harbour.
Parcel 408 passed the harbour.
Parcel 409 passed the harbour.
Parcel 410 passed the harbour.
Parcel 411 passed the harbour.
Parcel 412 passed the harbour.
Parcel 413 passed the harbour.
Parcel 414 passed the harbour.
Parcel 415 passed the harbour.
Parcel 416 passed the harbour.
Parcel 417 passed the harbour.
Parcel 418 passed the harbour.
Parcel 419 passed the harbour.
Parcel 420 passed the harbour.
Parcel 421 passed the harbour.
Parcel 422 passed the harbour.
Parcel 423 passed the harbour.
Parcel 424 passed the harbour.
Parcel 425 passed the harbour.
Parcel 426 passed the harbour.
Parcel 427 passed the harbour.
Parcel 428 passed the harbour.
Parcel 429 passed the harbour.
Parcel 430 passed the harbour.
Parcel 431 passed the harbour.
Parcel 432 passed the harbour.
Parcel 433 passed the harbour.
Parcel 434 passed the harbour.
Parcel 435 passed the harbour.
Parcel 436 passed the harbour.
Parcel 437 passed the harbour.
Parcel 438 passed the harbour.
Parcel 439 passed the harbour.
Parcel 440 passed the harbour.
Parcel 441 passed the harbour.
Parcel 442 passed the harbour.
Parcel 443 passed the harbour.
Parcel 444 passed the harbour.
Parcel 445 passed the harbour.
Parcel 446 passed the harbour.
Parcel 447 passed the harbour.
Parcel 448 passed the harbour.
Parcel 449 passed the harbour.
Parcel 450 passed the harbour.
Parcel 451 passed the harbour.
Parcel 452 passed the harbour.
Parcel 453 passed the harbour.
Parcel 454 passed the harbour.
Parcel 455 passed the harbour.
Parcel 456 passed the harbour.
Parcel 457 passed the harbour.
Parcel 458 passed the harbour.
Parcel 459 passed the harbour.
Parcel 460 passed the harbour.
Parcel 461 passed the harbour.
Parcel 462 passed the harbour.
Parcel 463 passed the harbour.
Parcel 464 passed the harbour.
Parcel 465 passed the harbour.
Parcel 466 passed the harbour.
Parcel 467 passed the harbour.
Parcel 468 passed the harbour.
Parcel 469 passed the harbour.
Parcel 470 passed the harbour.
Parcel 471 passed the harbour.
Parcel 472 passed the harbour.
Parcel 473 passed the harbour.
Parcel 474 passed the harbour.
Parcel 475 passed the harbour.
Parcel 476 passed the harbour.
Parcel 477 passed the harbour.
Parcel 478 passed the harbour.
Parcel 479 passed the harbour.
Parcel 480 passed the harbour.
Parcel 481 passed the harbour.
Parcel 482 passed the harbour.
Parcel 483 passed the harbour.
Parcel 484 passed the harbour.
Parcel 485 passed the harbour.
Parcel 486 passed the harbour.
Parcel 487 passed the harbour.
Parcel 488 passed the harbour.
Parcel 489 passed the harbour.
Parcel 490 passed the harbour.
Parcel 491 passed the harbour.
Parcel 492 passed the harbour.
Parcel 493 passed the harbour.
Parcel 494 passed the harbour.
Parcel 495 passed the harbour.
Parcel 496 passed the harbour.
Parcel 497 passed the harbour.
Parcel 498 passed the harbour.
Parcel 499 passed the harbour.');
INSERT INTO cognitive.memory VALUES
	('desk', 'b93a50c4-d38c-5361-8b97-70bcaaa55ea8', 2, '\x8033714488fad8d23d9642e569da0bc5da7a37d49382658b6ad688b4cad77a33', 'fact', 'The shop sells barometers and accordions.', NULL, '', '2026-09-01 12:00:00+00', NULL, NULL, NULL, '{}', '{}', 1, true, NULL, NULL, '{}', '2026-11-23 21:55:37.529504+00', '2026-11-23 21:55:37.529504+00', 'host', NULL, NULL, NULL, '{}', NULL),
	('desk', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9', 1, '\xd20e1307466d97932bdd6272a3d19d43d48b206931fc8a9b0c36beabd8d03c8f', 'fact', 'A refund takes six working days.', NULL, '', '2026-09-01 12:00:00+00', NULL, NULL, 'refund', '{handbook}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:37.529504+00', '2026-11-23 21:55:37.555957+00', 'host', NULL, NULL, NULL, '{"page": 4}', '#work day refund take'),
	('desk', '4ff489e3-7c81-5016-a345-365703eed0e9', 4, '\x3802e6ab5d541fcfe5e62b0fd4c59ee1249c730a9a8a5828668b870e5f70db97', 'decision', 'Parcels are sent by ship.', NULL, '', '2026-09-01 13:00:00+00', NULL, NULL, NULL, '{}', '{}', 1, false, 'fa1d3275-bbc7-5a4f-9752-6649660209b3', NULL, '{}', '2026-11-23 21:55:37.566486+00', '2026-11-23 21:55:37.566486+00', 'host', NULL, NULL, NULL, '{}', '#by parcel send'),
	('desk', 'fa1d3275-bbc7-5a4f-9752-6649660209b3', 3, '\x339c3c3df6487e36498a09733f103efeb817385cd512c5655912735b9c830a42', 'decision', 'Parcels are sent by train.', NULL, '', '2026-09-01 12:00:00+00', NULL, NULL, 'parcels', '{}', '{}', 1, false, NULL, '4ff489e3-7c81-5016-a345-365703eed0e9', '{}', '2026-11-23 21:55:37.529504+00', '2026-11-23 21:55:37.566486+00', 'host', NULL, '2026-09-01 13:00:00+00', 'superseded', '{}', '#by parcel send'),
	('desk', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 5, '\x76758df3a19699236f3677db5d89a7d9b313b6076b139cae06632bf92118e84e', 'episode', 'My parcel with the barometer was sent to the harbour.', 'user-17', '', '2026-09-01 14:00:00+00', 'monday', 1, 'turn/turn-0/user', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:37.687863+00', '2026-11-23 21:55:37.687863+00', 'talk', NULL, NULL, NULL, '{}', NULL),
	('desk', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 6, '\x2586ed949c1122489df6f1da7da0fa9634196f2567a9b86f742852106ddec235', 'episode', 'It waits at the harbour office.', 'assistant', 'My parcel with the barometer was sent to the harbour.', '2026-09-01 14:00:00+00', 'monday', 1, 'turn/turn-0/assistant', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:37.687863+00', '2026-11-23 21:55:37.687863+00', 'talk', NULL, NULL, NULL, '{}', NULL),
	('desk', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 7, '\x31ba0e214204088e86411883d78026765c0816f86bf7693de8ccbe9ed6339c64', 'episode', 'The barometer was a present for my aunt Irene.', 'user-17', '', '2026-09-01 15:00:00+00', 'monday', 1, 'turn/turn-1/user', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:37.742038+00', '2026-11-23 21:55:37.742038+00', 'talk', NULL, NULL, NULL, '{}', NULL),
	('desk', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 8, '\x027e48f677e197d474735a532b2272d266b7c3652d0f788d2294eaad7758f5d8', 'episode', 'Irene will get it on Friday.', 'assistant', 'The barometer was a present for my aunt Irene.', '2026-09-01 15:00:00+00', 'monday', 1, 'turn/turn-1/assistant', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:37.742038+00', '2026-11-23 21:55:37.742038+00', 'talk', NULL, NULL, NULL, '{}', NULL),
	('desk', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 9, '\x7d1fdd1a3326279500016cbbd78f9c1c2c1b3ef6f36652a6092fd64b9e272b6e', 'episode', 'I returned the accordion because a key was broken.', 'Bob', '', '2026-09-01 16:00:00+00', 'tuesday', 2, 'turn/turn-2/user', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:37.81069+00', '2026-11-23 21:55:37.81069+00', 'talk', NULL, NULL, NULL, '{}', NULL),
	('desk', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 11, '\xd11576dd86e2be3b9e8cb3d54db9ea013fec73c9b867f76c77d396845e99b8f3', 'episode', 'The accordion cost 400 euros in May.', 'Bob', '', '2026-09-01 17:00:00+00', 'tuesday', 2, 'turn/turn-3/user', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:37.898051+00', '2026-11-23 21:55:37.898051+00', 'talk', NULL, NULL, NULL, '{}', NULL),
	('desk', '403cb883-92ea-5f4b-bf1b-0b853569201c', 13, '\x97719891995294a7f09a68aeee91e111103b54dc82b8fe288c8c3585ec37bd42', 'episode', 'Do you open on Sundays at the harbour?', 'user-17', '', '2026-09-01 18:00:00+00', 'lobby', 3, 'turn/turn-4/user', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:37.953153+00', '2026-11-23 21:55:37.953153+00', 'talk', NULL, NULL, NULL, '{}', NULL),
	('desk', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 14, '\xd900f0b05f707e3b85db927d5db80b8d8ea71afee955311400342cbb9856e54b', 'episode', 'The shop opens at ten on Sundays.', 'assistant', 'Do you open on Sundays at the harbour?', '2026-09-01 18:00:00+00', 'lobby', 3, 'turn/turn-4/assistant', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:37.953153+00', '2026-11-23 21:55:37.953153+00', 'talk', NULL, NULL, NULL, '{}', '#time open shop'),
	('desk', '18daf992-d53a-5b44-8c59-83036eddfd38', 15, '\x44a254186c391dcbc4694ef7f7606b530068324a3daf952497ed5ec0eb0d310c', 'episode', 'Please close my old account at the lighthouse.', 'Bob', '', '2026-09-01 19:00:00+00', 'lobby', 3, 'turn/turn-5/user', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:38.02579+00', '2026-11-23 21:55:38.02579+00', 'talk', NULL, NULL, NULL, '{}', NULL),
	('desk', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15', 16, '\x79b5fc30fcf323ef26375c26818b6a526db08004b65f1c89ede454a9273e5435', 'episode', 'The account is closed.', 'assistant', 'Please close my old account at the lighthouse.', '2026-09-01 19:00:00+00', 'lobby', 3, 'turn/turn-5/assistant', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:38.02579+00', '2026-11-23 21:55:38.02579+00', 'talk', NULL, NULL, NULL, '{}', '#open account'),
	('desk', '5fd60a50-6e5e-53a6-b613-43a4c6cc1dda', 17, '\x085f6ddb1c4e4961af40c8225a10cede3278a1bd03447b851f7d3678bee2fc0b', 'episode', 'Somebody left a telescope on the counter.', 'user', '', '2026-09-01 20:00:00+00', 'lobby', 3, 'turn/turn-6/user', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:38.101341+00', '2026-11-23 21:55:38.101341+00', 'talk', NULL, NULL, NULL, '{}', NULL),
	('desk', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 18, '\x8ceebbf4434414b67f0f9ab2c57c061e793cec83cf31762adfad1400fa890d83', 'episode', 'The telescope is in the cellar.', 'assistant', 'Somebody left a telescope on the counter.', '2026-09-01 20:00:00+00', 'lobby', 3, 'turn/turn-6/assistant', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:38.101341+00', '2026-11-23 21:55:38.101341+00', 'talk', NULL, NULL, NULL, '{}', 'place telescop'),
	('desk', '51c3fafb-b2e5-5e94-b2b4-6f027521719a', 19, '\x9ca6fd13e4b767542792177ff98b143e7eb17a190e48ac6b4c62667d92a4287a', 'episode', 'Where is the parcel with the barometer?', 'user-17', '', '2026-09-01 21:00:00+00', 'wednesday', 4, 'turn/turn-7/user', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:38.17803+00', '2026-11-23 21:55:38.17803+00', 'talk', NULL, NULL, NULL, '{}', NULL),
	('desk', '283fb564-d480-5073-991c-b34f1ce4b831', 20, '\x0b38d6bb8cc98ac2d6b85ecdffa77ebb3a4ace0f3c068c28c1240104a0103915', 'episode', 'My parcel with the barometer was sent to the harbour, you said.', 'assistant', 'Where is the parcel with the barometer?', '2026-09-01 21:00:00+00', 'wednesday', 4, 'turn/turn-7/assistant', '{captured}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:38.17803+00', '2026-11-23 21:55:38.17803+00', 'talk', NULL, NULL, NULL, '{}', NULL),
	('desk', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 12, '\xa3382afd8c6d9baedc74a9a1e7359e0ed14322a221192639347246d17f9f848c', 'episode', 'The invoice says 400 euros.', 'assistant', 'The accordion cost 400 euros in May.', '2026-09-01 17:00:00+00', 'tuesday', 2, 'turn/turn-3/assistant', '{captured}', '{}', 1, false, NULL, '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', '{}', '2026-11-23 21:55:37.898051+00', '2026-11-23 21:55:38.220982+00', 'talk', NULL, '2026-11-23 21:55:38.220889+00', 'merged', '{}', NULL),
	('desk', '0610ffc8-eb2b-5d10-880a-71e33b702077', 10, '\x92cf2631784f974cdc5119166714523efcc80908a552c08ae18e05eab23b373a', 'episode', 'The accordion will be repaired.', 'assistant', 'I returned the accordion because a key was broken.', '2026-09-01 16:00:00+00', 'tuesday', 2, 'turn/turn-2/assistant', '{captured}', '{}', 0.9, false, NULL, NULL, '{}', '2026-11-23 21:55:37.81069+00', '2026-11-23 21:55:38.230859+00', 'talk', NULL, NULL, NULL, '{}', NULL),
	('other', '19b66e1d-c3b1-5692-9c99-6ca03041fcd2', 1, '\xb101b4bb9893e7082501388ac9ec6e83ee86aa7dcb75b314c7484b2aa592ec35', 'fact', 'Another agent''s barometer.', NULL, '', '2026-09-01 12:00:00+00', NULL, NULL, NULL, '{}', '{}', 1, false, NULL, NULL, '{}', '2026-11-23 21:55:38.258575+00', '2026-11-23 21:55:38.258575+00', 'host', NULL, NULL, NULL, '{}', NULL);
INSERT INTO cognitive.embedding VALUES
	('desk', 'b93a50c4-d38c-5361-8b97-70bcaaa55ea8', 0, 'content', 'chaos/words', 64, 'fact', '[0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342]', NULL),
	('desk', 'fa1d3275-bbc7-5a4f-9752-6649660209b3', 0, 'content', 'chaos/words', 64, 'decision', '[0.00044679642,0.00044679642,0.44726562,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.44726562,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.44726562,0.00044679642,0.00044679642,0.44726562,0.00044679642,0.00044679642,0.44726562,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642]', NULL),
	('desk', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9', 0, 'content', 'chaos/words', 64, 'fact', '[0.0004079342,0.0004079342,0.0004079342,0.40820312,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342]', NULL),
	('desk', '4ff489e3-7c81-5016-a345-365703eed0e9', 0, 'content', 'chaos/words', 64, 'decision', '[0.00044679642,0.00044679642,0.44726562,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.44726562,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.44726562,0.00044679642,0.44726562,0.00044679642,0.00044679642,0.44726562,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642,0.00044679642]', NULL),
	('desk', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 0, 'content', 'chaos/words', 64, 'episode', '[0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.27734375,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.27734375,0.27734375,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.27734375,0.0002770424,0.0002770424,0.27734375,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.27734375,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.5546875,0.27734375,0.0002770424,0.27734375,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.27734375,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424,0.0002770424]', NULL),
	('desk', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 'content', 'chaos/words', 64, 'episode', '[0.00037765503,0.3779297,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.3779297]', NULL),
	('desk', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 'context', 'chaos/words', 64, 'episode', '[0.00019991398,0.20007324,0.20007324,0.00019991398,0.20007324,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.20007324,0.20007324,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.20007324,0.00019991398,0.00019991398,0.39990234,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.20007324,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.5996094,0.20007324,0.00019991398,0.20007324,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.20007324,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.00019991398,0.20007324,0.00019991398,0.00019991398,0.20007324]', NULL),
	('desk', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 0, 'content', 'chaos/words', 64, 'episode', '[0.00024986267,0.00024986267,0.00024986267,0.5,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.5,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.5,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.25,0.25,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.25,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.25,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267,0.00024986267]', NULL),
	('desk', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 0, 'content', 'chaos/words', 64, 'episode', '[0.3779297,0.3779297,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503]', NULL),
	('desk', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 0, 'context', 'chaos/words', 64, 'episode', '[0.19616699,0.19616699,0.00019598007,0.5883789,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.19616699,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.39208984,0.19616699,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.39208984,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.19616699,0.19616699,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.19616699,0.00019598007,0.00019598007,0.00019598007,0.19616699,0.00019598007,0.00019598007,0.00019598007,0.19616699,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007,0.00019598007]', NULL),
	('desk', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 0, 'content', 'chaos/words', 64, 'episode', '[0.00031590462,0.00031590462,0.00031590462,0.3161621,0.00031590462,0.3161621,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.3161621,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.3161621,0.3161621,0.00031590462,0.3161621,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.3161621,0.3161621,0.00031590462,0.00031590462,0.3161621,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.3161621,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462]', NULL),
	('desk', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 0, 'content', 'chaos/words', 64, 'episode', '[0.00031590462,0.31640625,0.00031590462,0.00031590462,0.00031590462,0.31640625,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.31640625,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.6323242,0.31640625,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.31640625,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.00031590462,0.31640625,0.00031590462,0.00031590462,0.00031590462]', NULL),
	('desk', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'content', 'chaos/words', 64, 'episode', '[0.35375977,0.70703125,0.00035333633,0.00035333633,0.35375977,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.35375977,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.35375977,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633,0.00035333633]', NULL),
	('desk', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'context', 'chaos/words', 64, 'episode', '[0.20861816,0.6254883,0.00020837784,0.00020837784,0.20861816,0.20861816,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.20861816,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.4169922,0.20861816,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.4169922,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.00020837784,0.20861816,0.00020837784,0.00020837784,0.00020837784]', NULL),
	('desk', '403cb883-92ea-5f4b-bf1b-0b853569201c', 0, 'content', 'chaos/words', 64, 'episode', '[0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076]', NULL),
	('desk', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 0, 'content', 'chaos/words', 64, 'episode', '[0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.35351562,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792]', NULL),
	('desk', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 0, 'context', 'chaos/words', 64, 'episode', '[0.0002039671,0.20422363,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.40820312,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.20422363,0.20422363,0.0002039671,0.0002039671,0.0002039671,0.20422363,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.20422363,0.20422363,0.20422363,0.0002039671,0.40820312,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.40820312,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.20422363,0.0002039671,0.0002039671,0.40820312,0.0002039671,0.0002039671,0.0002039671]', NULL),
	('desk', '18daf992-d53a-5b44-8c59-83036eddfd38', 0, 'content', 'chaos/words', 64, 'episode', '[0.33325195,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.33325195,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076]', NULL),
	('desk', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15', 0, 'content', 'chaos/words', 64, 'episode', '[0.00037765503,0.37817383,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.37817383,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.7558594,0.00037765503,0.37817383,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503]', NULL),
	('desk', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15', 0, 'context', 'chaos/words', 64, 'episode', '[0.21826172,0.21826172,0.00021803379,0.00021803379,0.21826172,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.21826172,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.21826172,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.6542969,0.21826172,0.4362793,0.00021803379,0.00021803379,0.00021803379,0.21826172,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.00021803379,0.21826172,0.00021803379,0.00021803379,0.00021803379]', NULL),
	('desk', '5fd60a50-6e5e-53a6-b613-43a4c6cc1dda', 0, 'content', 'chaos/words', 64, 'episode', '[0.00035309792,0.35351562,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792]', NULL),
	('desk', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 0, 'content', 'chaos/words', 64, 'episode', '[0.00033307076,0.3334961,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.3334961,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.3334961,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.3334961,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.3334961,0.00033307076,0.00033307076,0.6665039,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076]', NULL),
	('desk', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 0, 'context', 'chaos/words', 64, 'episode', '[0.0002039671,0.40820312,0.0002039671,0.20422363,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.20422363,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.20422363,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.20422363,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.40820312,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.20422363,0.0002039671,0.0002039671,0.6123047,0.0002039671,0.20422363,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.20422363,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671,0.0002039671]', NULL),
	('desk', '51c3fafb-b2e5-5e94-b2b4-6f027521719a', 0, 'content', 'chaos/words', 64, 'episode', '[0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.28881836,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.28881836,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.57714844,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.28881836,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.57714844,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.28881836,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648]', NULL),
	('desk', '283fb564-d480-5073-991c-b34f1ce4b831', 0, 'content', 'chaos/words', 64, 'episode', '[0.00024235249,0.24255371,0.00024235249,0.00024235249,0.24255371,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.24255371,0.24255371,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.48486328,0.24255371,0.00024235249,0.00024235249,0.24255371,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.24255371,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.48486328,0.24255371,0.00024235249,0.24255371,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249,0.00024235249]', NULL),
	('desk', '283fb564-d480-5073-991c-b34f1ce4b831', 0, 'context', 'chaos/words', 64, 'episode', '[0.00015068054,0.1508789,0.00015068054,0.00015068054,0.1508789,0.00015068054,0.1508789,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.1508789,0.30151367,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.30151367,0.45214844,0.00015068054,0.00015068054,0.1508789,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.30151367,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.60302734,0.1508789,0.00015068054,0.1508789,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054,0.00015068054]', NULL),
	('desk', '0610ffc8-eb2b-5d10-880a-71e33b702077', 0, 'content', 'chaos/words', 64, 'episode', '[0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.40820312,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342,0.0004079342]', NULL),
	('desk', '0610ffc8-eb2b-5d10-880a-71e33b702077', 0, 'context', 'chaos/words', 64, 'episode', '[0.00022923946,0.22949219,0.00022923946,0.22949219,0.00022923946,0.45874023,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.22949219,0.22949219,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.45874023,0.22949219,0.00022923946,0.22949219,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.22949219,0.00022923946,0.22949219,0.22949219,0.00022923946,0.00022923946,0.22949219,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.22949219,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946,0.00022923946]', NULL),
	('other', '19b66e1d-c3b1-5692-9c99-6ca03041fcd2', 0, 'content', 'chaos/words', 64, 'fact', '[0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.57714844,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.57714844,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.57714844,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296,0.00057697296]', NULL);
INSERT INTO cognitive.embedding_model VALUES
	('desk', 'chaos/words', 64, '00000000-0000-0000-0000-000000000000', '2026-11-23 21:55:37.529504+00', '2026-11-23 21:55:37.529504+00', '2026-11-23 21:55:37.529504+00'),
	('other', 'chaos/words', 64, '00000000-0000-0000-0000-000000000000', '2026-11-23 21:55:38.258575+00', '2026-11-23 21:55:38.258575+00', '2026-11-23 21:55:38.258575+00');
INSERT INTO cognitive.exposure VALUES
	('desk', 'turn-0', '4ff489e3-7c81-5016-a345-365703eed0e9', 'decision', 'prompt', 0, 1, '2026-09-01 14:00:00+00', 0, false, NULL, 0, 16),
	('desk', 'turn-3', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 'episode', 'prompt', 0, 1, '2026-09-01 17:00:00+00', 0, false, NULL, 0, 31),
	('desk', 'turn-3', '0610ffc8-eb2b-5d10-880a-71e33b702077', 'episode', 'prompt', 1, 1, '2026-09-01 17:00:00+00', 0, false, NULL, 0.080926746, 28),
	('desk', 'turn-7', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 'episode', 'prompt', 0, 1, '2026-09-01 21:00:00+00', 0.7347402, true, NULL, 0, 34),
	('desk', 'turn-7', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 'episode', 'prompt', 1, 1, '2026-09-01 21:00:00+00', 0.04929276, false, NULL, 0.105227716, 33),
	('desk', 'turn-7', '4ff489e3-7c81-5016-a345-365703eed0e9', 'decision', 'prompt', 2, 1, '2026-09-01 21:00:00+00', 0.21129808, false, NULL, 0.1452373, 16),
	('desk', 'turn-7', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 'episode', 'prompt', 3, 1, '2026-09-01 21:00:00+00', 0, false, NULL, 0.33076844, 29),
	('desk', 'open', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 'episode', 'prompt', 1, 1, '2026-09-02 00:00:00+00', NULL, NULL, NULL, 0.055324454, 34),
	('desk', 'open', '0610ffc8-eb2b-5d10-880a-71e33b702077', 'episode', 'prompt', 4, 1, '2026-09-02 00:00:00+00', NULL, NULL, NULL, 0.10585506, 28),
	('desk', 'open', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 'episode', 'prompt', 2, 1, '2026-09-02 00:00:00+00', NULL, NULL, NULL, 0.06404133, 30),
	('desk', 'open', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 'episode', 'prompt', 0, 1, '2026-09-02 00:00:00+00', NULL, NULL, NULL, 0, 31),
	('desk', 'open', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 'episode', 'prompt', 3, 1, '2026-09-02 00:00:00+00', NULL, NULL, NULL, 0.071378954, 33);
INSERT INTO cognitive.memory_value VALUES
	('desk', 'fact', 'metadata.page', 'n14010000000000000', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9'),
	('desk', 'fact', 'tags', 'shandbook', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9'),
	('desk', 'episode', 'tags', 'scaptured', '01975f33-48dc-5ffb-9fc9-31c1386fe088'),
	('desk', 'episode', 'tags', 'scaptured', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8'),
	('desk', 'episode', 'tags', 'scaptured', '65b48cfe-6bba-5847-8cd9-fd277a6050e8'),
	('desk', 'episode', 'tags', 'scaptured', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3'),
	('desk', 'episode', 'tags', 'scaptured', '5a0c5391-9c19-5de6-96fb-c613166c9d0d'),
	('desk', 'episode', 'tags', 'scaptured', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70'),
	('desk', 'episode', 'tags', 'scaptured', 'a1c57180-4b42-5081-abd5-485f7264fa8e'),
	('desk', 'episode', 'tags', 'scaptured', '403cb883-92ea-5f4b-bf1b-0b853569201c'),
	('desk', 'episode', 'tags', 'scaptured', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5'),
	('desk', 'episode', 'tags', 'scaptured', '18daf992-d53a-5b44-8c59-83036eddfd38'),
	('desk', 'episode', 'tags', 'scaptured', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15'),
	('desk', 'episode', 'tags', 'scaptured', '5fd60a50-6e5e-53a6-b613-43a4c6cc1dda'),
	('desk', 'episode', 'tags', 'scaptured', 'd384042a-e335-58c9-aaf3-98e5a5c501de'),
	('desk', 'episode', 'tags', 'scaptured', '283fb564-d480-5073-991c-b34f1ce4b831'),
	('desk', 'episode', 'tags', 'scaptured', '51c3fafb-b2e5-5e94-b2b4-6f027521719a'),
	('desk', 'episode', 'tags', 'scaptured', '0610ffc8-eb2b-5d10-880a-71e33b702077');
INSERT INTO cognitive.passage VALUES
	('desk', 'b93a50c4-d38c-5361-8b97-70bcaaa55ea8', 0, 0, 41, 7, 7, '{1,septemb,2026,shop,sell,baromet,accordion}', '{english}'),
	('desk', 'fa1d3275-bbc7-5a4f-9752-6649660209b3', 0, 0, 26, 6, 6, '{1,septemb,2026,parcel,sent,train}', '{english}'),
	('desk', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9', 0, 0, 32, 8, 8, '{1,septemb,2026,refund,take,six,work,day}', '{english}'),
	('desk', '4ff489e3-7c81-5016-a345-365703eed0e9', 0, 0, 25, 6, 6, '{1,septemb,2026,parcel,sent,ship}', '{english}'),
	('desk', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 0, 0, 53, 9, 9, '{1,septemb,2026,user,17,parcel,baromet,sent,harbour}', '{english}'),
	('desk', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 0, 31, 7, 11, '{1,septemb,2026,assist,wait,harbour,offic,parcel,baromet,sent}', '{english}'),
	('desk', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 0, 0, 46, 9, 9, '{1,septemb,2026,user,17,baromet,present,aunt,iren}', '{english}'),
	('desk', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 0, 0, 28, 6, 10, '{1,septemb,2026,assist,iren,friday,baromet,present,aunt}', '{english}'),
	('desk', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 0, 0, 50, 8, 8, '{1,septemb,2026,bob,return,accordion,key,broken}', '{english}'),
	('desk', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 0, 0, 36, 9, 9, '{1,septemb,2026,bob,accordion,cost,400,euro,may}', '{english}'),
	('desk', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 0, 27, 8, 13, '{1,septemb,2026,assist,invoic,say,400,euro,accordion,cost,may}', '{english}'),
	('desk', '403cb883-92ea-5f4b-bf1b-0b853569201c', 0, 0, 38, 8, 8, '{1,septemb,2026,user,17,open,sunday,harbour}', '{english}'),
	('desk', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 0, 0, 33, 8, 11, '{1,septemb,2026,assist,shop,open,ten,sunday,harbour}', '{english}'),
	('desk', '18daf992-d53a-5b44-8c59-83036eddfd38', 0, 0, 46, 8, 8, '{1,septemb,2026,bob,close,old,account,lighthous}', '{english}'),
	('desk', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15', 0, 0, 22, 6, 10, '{1,septemb,2026,assist,account,close,old,lighthous}', '{english}'),
	('desk', '5fd60a50-6e5e-53a6-b613-43a4c6cc1dda', 0, 0, 41, 8, 8, '{1,septemb,2026,user,somebodi,left,telescop,counter}', '{english}'),
	('desk', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 0, 0, 31, 6, 10, '{1,septemb,2026,assist,telescop,cellar,somebodi,left,counter}', '{english}'),
	('desk', '51c3fafb-b2e5-5e94-b2b4-6f027521719a', 0, 0, 39, 7, 7, '{1,septemb,2026,user,17,parcel,baromet}', '{english}'),
	('desk', '283fb564-d480-5073-991c-b34f1ce4b831', 0, 0, 63, 9, 11, '{1,septemb,2026,assist,parcel,baromet,sent,harbour,said}', '{english}'),
	('desk', '0610ffc8-eb2b-5d10-880a-71e33b702077', 0, 0, 31, 6, 10, '{1,septemb,2026,assist,accordion,repair,return,key,broken}', '{english}'),
	('other', '19b66e1d-c3b1-5692-9c99-6ca03041fcd2', 0, 0, 26, 6, 6, '{1,septemb,2026,anoth,agent,baromet}', '{english}');
INSERT INTO cognitive.policy VALUES
	('desk', '89bdf54c89b2', '{"dedup": {"mode": "drop", "enabled": true, "threshold": 0.85, "agreement_threshold": 0.62, "containment_threshold": 0.7}, "tools": {"fit_to_model": true, "refine_deadline_ms": 15000.0}, "trust": {"min_level": {}, "max_per_source": 5, "max_source_chars": 40, "recall_disabled_frames": []}, "usage": {"boost": "posterior", "weight": 0.005, "combine": "add", "explore_every": 0, "half_life_days": 7.0}, "agents": {}, "limits": {"default": 5, "hinted_type": 8, "other_types": 3}, "window": {"reserves": {"tools": 0.1, "memory": 0.15, "system": 0.1, "response": 0.2}, "max_chars": 80000, "max_messages": 40, "keep_recent_ms": 30000, "protected_kinds": ["plan", "error", "human_input"], "context_threshold": 0.7, "max_message_chars": 20000, "max_summary_chars": 4000, "tool_output_kinds": {}, "keep_last_messages": 10, "max_tool_output_chars": {"web": 6000, "data": 8000, "file": 16000, "search": 6000, "default": 8000, "terminal": 8000}, "summarize_before_prune": true, "summarize_after_iterations": 5, "prune_tool_results_after_ms": 300000}, "budgets": {"frames": {"task": {"fact": 1500, "total": 8000, "window": 5, "episode": 1000, "decision": 2000, "procedure": 1500}, "debug": {"fact": 1000, "total": 10000, "window": 6, "episode": 1000, "decision": 1500, "procedure": 2500}, "creative": {"fact": 1500, "total": 6000, "window": 4, "episode": 500, "decision": 1000, "procedure": 500}, "decision": {"fact": 2000, "total": 12000, "window": 8, "episode": 1000, "decision": 3500, "procedure": 2000}, "question": {"fact": 1500, "total": 6000, "window": 5, "episode": 500, "decision": 1000, "procedure": 500}, "conversation": {"fact": 500, "total": 3000, "window": 3, "episode": 600, "decision": 500, "procedure": 0}}, "models": {}, "learned": false, "overrides": {}}, "capture": "exchange", "evidence": {"threshold": 0.5, "min_item_share": 0.5, "frame_thresholds": {}}, "feedback": {"attribution": "relative", "rating_weight": 3.0, "max_capture_chars": 8000, "abandon_after_minutes": 60.0, "attribution_thresholds": {"jaccard": 0.15, "relative": 0.29, "windowed": 0.15}}, "deadlines": {"fit_ms": 2000.0, "recall_ms": 15000.0, "post_turn_ms": 5000.0}, "placement": "user_tail", "retention": {"days": {}, "keep_responses": true, "max_response_chars": 16000}, "retrieval": {"relevance": {"date": 0.0654, "lexical": 0.0814, "recency": 0.0544, "session": 0.0849, "speaker": 0.0735, "neighbor": 0.0762, "semantic": 0.174, "user_turn": 0.0718, "instruction": 0.0326, "first_person": 0.0572, "content_length": 0.0914, "lexical_context": 0.0327, "semantic_context": 0.1045}, "candidates_per_channel": 80}, "abstention": true, "categories": {"rules": {}, "enabled": true, "memory_tuning": true, "user_profiles": false, "always_include": ["message"], "tool_filtering": true, "learned_weights": true, "thinking_tuning": true, "fallback_to_full": true, "complex_threshold": 300, "exemplar_fallback": false, "prompt_annotation": true, "session_awareness": true}, "association": {"weight": 0.8, "half_life_days": 28.0, "min_similarity": 0.55}, "deadline_ms": 20000.0}', '2026-11-23 21:55:37.655653+00');
INSERT INTO cognitive.posting VALUES
	('desk', '1', 'b93a50c4-d38c-5361-8b97-70bcaaa55ea8', 0, 'fact', NULL, 1, 1, 7, 7),
	('desk', 'septemb', 'b93a50c4-d38c-5361-8b97-70bcaaa55ea8', 0, 'fact', NULL, 1, 1, 7, 7),
	('desk', '2026', 'b93a50c4-d38c-5361-8b97-70bcaaa55ea8', 0, 'fact', NULL, 1, 1, 7, 7),
	('desk', 'shop', 'b93a50c4-d38c-5361-8b97-70bcaaa55ea8', 0, 'fact', NULL, 1, 1, 7, 7),
	('desk', 'sell', 'b93a50c4-d38c-5361-8b97-70bcaaa55ea8', 0, 'fact', NULL, 1, 1, 7, 7),
	('desk', 'baromet', 'b93a50c4-d38c-5361-8b97-70bcaaa55ea8', 0, 'fact', NULL, 1, 1, 7, 7),
	('desk', 'accordion', 'b93a50c4-d38c-5361-8b97-70bcaaa55ea8', 0, 'fact', NULL, 1, 1, 7, 7),
	('desk', '1', 'fa1d3275-bbc7-5a4f-9752-6649660209b3', 0, 'decision', NULL, 1, 1, 6, 6),
	('desk', 'septemb', 'fa1d3275-bbc7-5a4f-9752-6649660209b3', 0, 'decision', NULL, 1, 1, 6, 6),
	('desk', '2026', 'fa1d3275-bbc7-5a4f-9752-6649660209b3', 0, 'decision', NULL, 1, 1, 6, 6),
	('desk', 'parcel', 'fa1d3275-bbc7-5a4f-9752-6649660209b3', 0, 'decision', NULL, 1, 1, 6, 6),
	('desk', 'sent', 'fa1d3275-bbc7-5a4f-9752-6649660209b3', 0, 'decision', NULL, 1, 1, 6, 6),
	('desk', 'train', 'fa1d3275-bbc7-5a4f-9752-6649660209b3', 0, 'decision', NULL, 1, 1, 6, 6),
	('desk', '1', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9', 0, 'fact', NULL, 1, 1, 8, 8),
	('desk', 'septemb', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9', 0, 'fact', NULL, 1, 1, 8, 8),
	('desk', '2026', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9', 0, 'fact', NULL, 1, 1, 8, 8),
	('desk', 'refund', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9', 0, 'fact', NULL, 1, 1, 8, 8),
	('desk', 'take', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9', 0, 'fact', NULL, 1, 1, 8, 8),
	('desk', 'six', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9', 0, 'fact', NULL, 1, 1, 8, 8),
	('desk', 'work', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9', 0, 'fact', NULL, 1, 1, 8, 8),
	('desk', 'day', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9', 0, 'fact', NULL, 1, 1, 8, 8),
	('desk', '1', '4ff489e3-7c81-5016-a345-365703eed0e9', 0, 'decision', NULL, 1, 1, 6, 6),
	('desk', 'septemb', '4ff489e3-7c81-5016-a345-365703eed0e9', 0, 'decision', NULL, 1, 1, 6, 6),
	('desk', '2026', '4ff489e3-7c81-5016-a345-365703eed0e9', 0, 'decision', NULL, 1, 1, 6, 6),
	('desk', 'parcel', '4ff489e3-7c81-5016-a345-365703eed0e9', 0, 'decision', NULL, 1, 1, 6, 6),
	('desk', 'sent', '4ff489e3-7c81-5016-a345-365703eed0e9', 0, 'decision', NULL, 1, 1, 6, 6),
	('desk', 'ship', '4ff489e3-7c81-5016-a345-365703eed0e9', 0, 'decision', NULL, 1, 1, 6, 6),
	('desk', '1', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', 'septemb', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', '2026', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', 'user', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', '17', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', 'parcel', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', 'baromet', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', 'sent', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', 'harbour', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', '1', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 'episode', 1, 1, 1, 7, 11),
	('desk', 'septemb', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 'episode', 1, 1, 1, 7, 11),
	('desk', '2026', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 'episode', 1, 1, 1, 7, 11),
	('desk', 'assist', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 'episode', 1, 1, 1, 7, 11),
	('desk', 'wait', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 'episode', 1, 1, 1, 7, 11),
	('desk', 'harbour', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 'episode', 1, 1, 2, 7, 11),
	('desk', 'offic', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 'episode', 1, 1, 1, 7, 11),
	('desk', 'parcel', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 'episode', 1, 0, 1, 7, 11),
	('desk', 'baromet', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 'episode', 1, 0, 1, 7, 11),
	('desk', 'sent', 'e07866a3-74d5-5bbf-8fde-2145ac5d5aa8', 0, 'episode', 1, 0, 1, 7, 11),
	('desk', '1', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', 'septemb', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', '2026', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', 'user', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', '17', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', 'baromet', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', 'present', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', 'aunt', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', 'iren', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 0, 'episode', 1, 1, 1, 9, 9),
	('desk', '1', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 0, 'episode', 1, 1, 1, 6, 10),
	('desk', 'septemb', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 0, 'episode', 1, 1, 1, 6, 10),
	('desk', '2026', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 0, 'episode', 1, 1, 1, 6, 10),
	('desk', 'assist', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 0, 'episode', 1, 1, 1, 6, 10),
	('desk', 'iren', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 0, 'episode', 1, 1, 2, 6, 10),
	('desk', 'friday', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 0, 'episode', 1, 1, 1, 6, 10),
	('desk', 'baromet', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 0, 'episode', 1, 0, 1, 6, 10),
	('desk', 'present', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 0, 'episode', 1, 0, 1, 6, 10),
	('desk', 'aunt', '65b48cfe-6bba-5847-8cd9-fd277a6050e8', 0, 'episode', 1, 0, 1, 6, 10),
	('desk', '1', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 0, 'episode', 2, 1, 1, 8, 8),
	('desk', 'septemb', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 0, 'episode', 2, 1, 1, 8, 8),
	('desk', '2026', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 0, 'episode', 2, 1, 1, 8, 8),
	('desk', 'bob', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 0, 'episode', 2, 1, 1, 8, 8),
	('desk', 'return', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 0, 'episode', 2, 1, 1, 8, 8),
	('desk', 'accordion', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 0, 'episode', 2, 1, 1, 8, 8),
	('desk', 'key', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 0, 'episode', 2, 1, 1, 8, 8),
	('desk', 'broken', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 0, 'episode', 2, 1, 1, 8, 8),
	('desk', '1', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 0, 'episode', 2, 1, 1, 9, 9),
	('desk', 'septemb', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 0, 'episode', 2, 1, 1, 9, 9),
	('desk', '2026', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 0, 'episode', 2, 1, 1, 9, 9),
	('desk', 'bob', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 0, 'episode', 2, 1, 1, 9, 9),
	('desk', 'accordion', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 0, 'episode', 2, 1, 1, 9, 9),
	('desk', 'cost', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 0, 'episode', 2, 1, 1, 9, 9),
	('desk', '400', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 0, 'episode', 2, 1, 1, 9, 9),
	('desk', 'euro', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 0, 'episode', 2, 1, 1, 9, 9),
	('desk', 'may', '10e3ecf2-617f-5bdc-af1e-4f1e13454c70', 0, 'episode', 2, 1, 1, 9, 9),
	('desk', '1', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'episode', 2, 1, 1, 8, 13),
	('desk', 'septemb', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'episode', 2, 1, 1, 8, 13),
	('desk', '2026', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'episode', 2, 1, 1, 8, 13),
	('desk', 'assist', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'episode', 2, 1, 1, 8, 13),
	('desk', 'invoic', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'episode', 2, 1, 1, 8, 13),
	('desk', 'say', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'episode', 2, 1, 1, 8, 13),
	('desk', '400', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'episode', 2, 1, 2, 8, 13),
	('desk', 'euro', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'episode', 2, 1, 2, 8, 13),
	('desk', 'accordion', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'episode', 2, 0, 1, 8, 13),
	('desk', 'cost', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'episode', 2, 0, 1, 8, 13),
	('desk', 'may', 'a1c57180-4b42-5081-abd5-485f7264fa8e', 0, 'episode', 2, 0, 1, 8, 13),
	('desk', '1', '403cb883-92ea-5f4b-bf1b-0b853569201c', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'septemb', '403cb883-92ea-5f4b-bf1b-0b853569201c', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', '2026', '403cb883-92ea-5f4b-bf1b-0b853569201c', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'user', '403cb883-92ea-5f4b-bf1b-0b853569201c', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', '17', '403cb883-92ea-5f4b-bf1b-0b853569201c', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'open', '403cb883-92ea-5f4b-bf1b-0b853569201c', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'sunday', '403cb883-92ea-5f4b-bf1b-0b853569201c', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'harbour', '403cb883-92ea-5f4b-bf1b-0b853569201c', 0, 'episode', 3, 1, 1, 8, 8);
INSERT INTO cognitive.posting VALUES
	('desk', '1', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 0, 'episode', 3, 1, 1, 8, 11),
	('desk', 'septemb', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 0, 'episode', 3, 1, 1, 8, 11),
	('desk', '2026', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 0, 'episode', 3, 1, 1, 8, 11),
	('desk', 'assist', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 0, 'episode', 3, 1, 1, 8, 11),
	('desk', 'shop', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 0, 'episode', 3, 1, 1, 8, 11),
	('desk', 'open', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 0, 'episode', 3, 1, 2, 8, 11),
	('desk', 'ten', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 0, 'episode', 3, 1, 1, 8, 11),
	('desk', 'sunday', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 0, 'episode', 3, 1, 2, 8, 11),
	('desk', 'harbour', '8e28bc44-e724-5b21-a3c5-9e43afc5cbf5', 0, 'episode', 3, 0, 1, 8, 11),
	('desk', '1', '18daf992-d53a-5b44-8c59-83036eddfd38', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'septemb', '18daf992-d53a-5b44-8c59-83036eddfd38', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', '2026', '18daf992-d53a-5b44-8c59-83036eddfd38', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'bob', '18daf992-d53a-5b44-8c59-83036eddfd38', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'close', '18daf992-d53a-5b44-8c59-83036eddfd38', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'old', '18daf992-d53a-5b44-8c59-83036eddfd38', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'account', '18daf992-d53a-5b44-8c59-83036eddfd38', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'lighthous', '18daf992-d53a-5b44-8c59-83036eddfd38', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', '1', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15', 0, 'episode', 3, 1, 1, 6, 10),
	('desk', 'septemb', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15', 0, 'episode', 3, 1, 1, 6, 10),
	('desk', '2026', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15', 0, 'episode', 3, 1, 1, 6, 10),
	('desk', 'assist', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15', 0, 'episode', 3, 1, 1, 6, 10),
	('desk', 'account', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15', 0, 'episode', 3, 1, 2, 6, 10),
	('desk', 'close', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15', 0, 'episode', 3, 1, 2, 6, 10),
	('desk', 'old', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15', 0, 'episode', 3, 0, 1, 6, 10),
	('desk', 'lighthous', '8b6a1702-c6d9-5361-8fc1-7e6130dbeb15', 0, 'episode', 3, 0, 1, 6, 10),
	('desk', '1', '5fd60a50-6e5e-53a6-b613-43a4c6cc1dda', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'septemb', '5fd60a50-6e5e-53a6-b613-43a4c6cc1dda', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', '2026', '5fd60a50-6e5e-53a6-b613-43a4c6cc1dda', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'user', '5fd60a50-6e5e-53a6-b613-43a4c6cc1dda', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'somebodi', '5fd60a50-6e5e-53a6-b613-43a4c6cc1dda', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'left', '5fd60a50-6e5e-53a6-b613-43a4c6cc1dda', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'telescop', '5fd60a50-6e5e-53a6-b613-43a4c6cc1dda', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', 'counter', '5fd60a50-6e5e-53a6-b613-43a4c6cc1dda', 0, 'episode', 3, 1, 1, 8, 8),
	('desk', '1', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 0, 'episode', 3, 1, 1, 6, 10),
	('desk', 'septemb', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 0, 'episode', 3, 1, 1, 6, 10),
	('desk', '2026', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 0, 'episode', 3, 1, 1, 6, 10),
	('desk', 'assist', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 0, 'episode', 3, 1, 1, 6, 10),
	('desk', 'telescop', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 0, 'episode', 3, 1, 2, 6, 10),
	('desk', 'cellar', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 0, 'episode', 3, 1, 1, 6, 10),
	('desk', 'somebodi', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 0, 'episode', 3, 0, 1, 6, 10),
	('desk', 'left', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 0, 'episode', 3, 0, 1, 6, 10),
	('desk', 'counter', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 0, 'episode', 3, 0, 1, 6, 10),
	('desk', '1', '51c3fafb-b2e5-5e94-b2b4-6f027521719a', 0, 'episode', 4, 1, 1, 7, 7),
	('desk', 'septemb', '51c3fafb-b2e5-5e94-b2b4-6f027521719a', 0, 'episode', 4, 1, 1, 7, 7),
	('desk', '2026', '51c3fafb-b2e5-5e94-b2b4-6f027521719a', 0, 'episode', 4, 1, 1, 7, 7),
	('desk', 'user', '51c3fafb-b2e5-5e94-b2b4-6f027521719a', 0, 'episode', 4, 1, 1, 7, 7),
	('desk', '17', '51c3fafb-b2e5-5e94-b2b4-6f027521719a', 0, 'episode', 4, 1, 1, 7, 7),
	('desk', 'parcel', '51c3fafb-b2e5-5e94-b2b4-6f027521719a', 0, 'episode', 4, 1, 1, 7, 7),
	('desk', 'baromet', '51c3fafb-b2e5-5e94-b2b4-6f027521719a', 0, 'episode', 4, 1, 1, 7, 7),
	('desk', '1', '283fb564-d480-5073-991c-b34f1ce4b831', 0, 'episode', 4, 1, 1, 9, 11),
	('desk', 'septemb', '283fb564-d480-5073-991c-b34f1ce4b831', 0, 'episode', 4, 1, 1, 9, 11),
	('desk', '2026', '283fb564-d480-5073-991c-b34f1ce4b831', 0, 'episode', 4, 1, 1, 9, 11),
	('desk', 'assist', '283fb564-d480-5073-991c-b34f1ce4b831', 0, 'episode', 4, 1, 1, 9, 11),
	('desk', 'parcel', '283fb564-d480-5073-991c-b34f1ce4b831', 0, 'episode', 4, 1, 2, 9, 11),
	('desk', 'baromet', '283fb564-d480-5073-991c-b34f1ce4b831', 0, 'episode', 4, 1, 2, 9, 11),
	('desk', 'sent', '283fb564-d480-5073-991c-b34f1ce4b831', 0, 'episode', 4, 1, 1, 9, 11),
	('desk', 'harbour', '283fb564-d480-5073-991c-b34f1ce4b831', 0, 'episode', 4, 1, 1, 9, 11),
	('desk', 'said', '283fb564-d480-5073-991c-b34f1ce4b831', 0, 'episode', 4, 1, 1, 9, 11),
	('desk', '1', '0610ffc8-eb2b-5d10-880a-71e33b702077', 0, 'episode', 2, 1, 1, 6, 10),
	('desk', 'septemb', '0610ffc8-eb2b-5d10-880a-71e33b702077', 0, 'episode', 2, 1, 1, 6, 10),
	('desk', '2026', '0610ffc8-eb2b-5d10-880a-71e33b702077', 0, 'episode', 2, 1, 1, 6, 10),
	('desk', 'assist', '0610ffc8-eb2b-5d10-880a-71e33b702077', 0, 'episode', 2, 1, 1, 6, 10),
	('desk', 'accordion', '0610ffc8-eb2b-5d10-880a-71e33b702077', 0, 'episode', 2, 1, 2, 6, 10),
	('desk', 'repair', '0610ffc8-eb2b-5d10-880a-71e33b702077', 0, 'episode', 2, 1, 1, 6, 10),
	('desk', 'return', '0610ffc8-eb2b-5d10-880a-71e33b702077', 0, 'episode', 2, 0, 1, 6, 10),
	('desk', 'key', '0610ffc8-eb2b-5d10-880a-71e33b702077', 0, 'episode', 2, 0, 1, 6, 10),
	('desk', 'broken', '0610ffc8-eb2b-5d10-880a-71e33b702077', 0, 'episode', 2, 0, 1, 6, 10),
	('other', '1', '19b66e1d-c3b1-5692-9c99-6ca03041fcd2', 0, 'fact', NULL, 1, 1, 6, 6),
	('other', 'septemb', '19b66e1d-c3b1-5692-9c99-6ca03041fcd2', 0, 'fact', NULL, 1, 1, 6, 6),
	('other', '2026', '19b66e1d-c3b1-5692-9c99-6ca03041fcd2', 0, 'fact', NULL, 1, 1, 6, 6),
	('other', 'anoth', '19b66e1d-c3b1-5692-9c99-6ca03041fcd2', 0, 'fact', NULL, 1, 1, 6, 6),
	('other', 'agent', '19b66e1d-c3b1-5692-9c99-6ca03041fcd2', 0, 'fact', NULL, 1, 1, 6, 6),
	('other', 'baromet', '19b66e1d-c3b1-5692-9c99-6ca03041fcd2', 0, 'fact', NULL, 1, 1, 6, 6);
INSERT INTO cognitive.revision VALUES
	('desk', 'af03f1d2-d3f5-5182-838e-f6553aa76fe9', 1, '{"content": "A refund takes five working days."}', '2026-11-23 21:55:37.555957+00'),
	('desk', '0610ffc8-eb2b-5d10-880a-71e33b702077', 1, '{"confidence": 1.0}', '2026-11-23 21:55:38.230859+00');
INSERT INTO cognitive.rollup VALUES
	('desk', 'hour', 'all', '2026-09-01 14:00:00+00', '', 1, 1, 0, 0, 0, 0, 4, 1, 0, 16, 0, 0, 0, 81.78, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'frame', '2026-09-01 14:00:00+00', 'conversation', 1, 1, 0, 0, 0, 0, 4, 1, 0, 16, 0, 0, 0, 81.78, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'policy', '2026-09-01 14:00:00+00', '89bdf54c89b2', 1, 1, 0, 0, 0, 0, 4, 1, 0, 16, 0, 0, 0, 81.78, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 14:00:00+00', 'assemble', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.646, '{0,0,0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 14:00:00+00', 'record', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.457, '{1}'),
	('desk', 'hour', 'stage', '2026-09-01 14:00:00+00', 'retrieve', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 63.706, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'tool', '2026-09-01 14:00:00+00', 'none/track', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 14:00:00+00', 'decision', 1, 0, 0, 0, 0, 0, 2, 1, 0, 16, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 14:00:00+00', 'fact', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'day', 'all', '2026-09-01 00:00:00+00', '', 8, 8, 0, 0, 0, 5, 87, 7, 1, 187, 34, 0, 0, 280.657, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,1,0,2,1,1,0,1,0,0,1}'),
	('desk', 'day', 'policy', '2026-09-01 00:00:00+00', '89bdf54c89b2', 8, 8, 0, 0, 0, 5, 87, 7, 1, 187, 34, 0, 0, 280.657, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,1,0,2,1,1,0,1,0,0,1}'),
	('desk', 'day', 'stage', '2026-09-01 00:00:00+00', 'assemble', 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10.753, '{2,3,0,1,1,1}'),
	('desk', 'day', 'stage', '2026-09-01 00:00:00+00', 'record', 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3.832, '{8}'),
	('desk', 'day', 'stage', '2026-09-01 00:00:00+00', 'retrieve', 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 232.50900000000001, '{0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,1,1,1,0,1,1,0,1,1}'),
	('desk', 'day', 'type', '2026-09-01 00:00:00+00', 'decision', 8, 0, 0, 0, 0, 0, 16, 2, 0, 32, 0, 0, 0, 0, '{}'),
	('desk', 'day', 'type', '2026-09-01 00:00:00+00', 'episode', 7, 0, 0, 0, 0, 0, 55, 5, 1, 155, 34, 0, 0, 0, '{}'),
	('desk', 'hour', 'all', '2026-09-01 15:00:00+00', '', 1, 1, 0, 0, 0, 1, 6, 0, 0, 0, 0, 0, 0, 22.821, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'frame', '2026-09-01 15:00:00+00', 'conversation', 1, 1, 0, 0, 0, 1, 6, 0, 0, 0, 0, 0, 0, 22.821, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'policy', '2026-09-01 15:00:00+00', '89bdf54c89b2', 1, 1, 0, 0, 0, 1, 6, 0, 0, 0, 0, 0, 0, 22.821, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 15:00:00+00', 'assemble', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.957, '{1}'),
	('desk', 'day', 'frame', '2026-09-01 00:00:00+00', 'conversation', 4, 4, 0, 0, 0, 2, 36, 3, 0, 75, 0, 0, 0, 185.84799999999998, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,0,0,1,0,0,1}'),
	('desk', 'day', 'tool', '2026-09-01 00:00:00+00', 'none/track', 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'stage', '2026-09-01 15:00:00+00', 'record', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.49, '{1}'),
	('desk', 'hour', 'stage', '2026-09-01 15:00:00+00', 'retrieve', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 19.691, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'tool', '2026-09-01 15:00:00+00', 'none/track', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 15:00:00+00', 'decision', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 15:00:00+00', 'episode', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 15:00:00+00', 'fact', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'day', 'frame', '2026-09-01 00:00:00+00', 'debug', 1, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 37.765, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'all', '2026-09-01 16:00:00+00', '', 1, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 37.765, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'frame', '2026-09-01 16:00:00+00', 'debug', 1, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 37.765, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'policy', '2026-09-01 16:00:00+00', '89bdf54c89b2', 1, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 37.765, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 16:00:00+00', 'assemble', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.031, '{0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 16:00:00+00', 'record', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.458, '{1}'),
	('desk', 'hour', 'stage', '2026-09-01 16:00:00+00', 'retrieve', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 34.913, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'tool', '2026-09-01 16:00:00+00', 'none/track', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 16:00:00+00', 'decision', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 16:00:00+00', 'episode', 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 16:00:00+00', 'fact', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'all', '2026-09-01 17:00:00+00', '', 1, 1, 0, 0, 0, 0, 10, 2, 0, 59, 0, 0, 0, 50.76, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'frame', '2026-09-01 17:00:00+00', 'conversation', 1, 1, 0, 0, 0, 0, 10, 2, 0, 59, 0, 0, 0, 50.76, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'policy', '2026-09-01 17:00:00+00', '89bdf54c89b2', 1, 1, 0, 0, 0, 0, 10, 2, 0, 59, 0, 0, 0, 50.76, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 17:00:00+00', 'assemble', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.891, '{0,0,0,0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 17:00:00+00', 'record', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.522, '{1}'),
	('desk', 'hour', 'stage', '2026-09-01 17:00:00+00', 'retrieve', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 45.496, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'tool', '2026-09-01 17:00:00+00', 'none/track', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 17:00:00+00', 'decision', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 17:00:00+00', 'episode', 1, 0, 0, 0, 0, 0, 6, 2, 0, 59, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 17:00:00+00', 'fact', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'all', '2026-09-01 18:00:00+00', '', 1, 1, 0, 0, 0, 1, 12, 0, 0, 0, 0, 0, 0, 12.191, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'frame', '2026-09-01 18:00:00+00', 'question', 1, 1, 0, 0, 0, 1, 12, 0, 0, 0, 0, 0, 0, 12.191, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'policy', '2026-09-01 18:00:00+00', '89bdf54c89b2', 1, 1, 0, 0, 0, 1, 12, 0, 0, 0, 0, 0, 0, 12.191, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 18:00:00+00', 'assemble', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.982, '{1}'),
	('desk', 'hour', 'stage', '2026-09-01 18:00:00+00', 'record', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.453, '{1}'),
	('desk', 'day', 'type', '2026-09-01 00:00:00+00', 'fact', 8, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'stage', '2026-09-01 18:00:00+00', 'retrieve', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8.928, '{0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'tool', '2026-09-01 18:00:00+00', 'none/track', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 18:00:00+00', 'decision', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 18:00:00+00', 'episode', 1, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 18:00:00+00', 'fact', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'day', 'frame', '2026-09-01 00:00:00+00', 'task', 1, 1, 0, 0, 0, 1, 14, 0, 0, 0, 0, 0, 0, 25.983, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'all', '2026-09-01 19:00:00+00', '', 1, 1, 0, 0, 0, 1, 14, 0, 0, 0, 0, 0, 0, 25.983, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'frame', '2026-09-01 19:00:00+00', 'task', 1, 1, 0, 0, 0, 1, 14, 0, 0, 0, 0, 0, 0, 25.983, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'policy', '2026-09-01 19:00:00+00', '89bdf54c89b2', 1, 1, 0, 0, 0, 1, 14, 0, 0, 0, 0, 0, 0, 25.983, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 19:00:00+00', 'assemble', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.053, '{0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 19:00:00+00', 'record', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.432, '{1}'),
	('desk', 'hour', 'stage', '2026-09-01 19:00:00+00', 'retrieve', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 17.924, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'tool', '2026-09-01 19:00:00+00', 'none/track', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 19:00:00+00', 'decision', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 19:00:00+00', 'episode', 1, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 19:00:00+00', 'fact', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'all', '2026-09-01 20:00:00+00', '', 1, 1, 0, 0, 0, 1, 16, 0, 0, 0, 0, 0, 0, 30.487, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'frame', '2026-09-01 20:00:00+00', 'conversation', 1, 1, 0, 0, 0, 1, 16, 0, 0, 0, 0, 0, 0, 30.487, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'policy', '2026-09-01 20:00:00+00', '89bdf54c89b2', 1, 1, 0, 0, 0, 1, 16, 0, 0, 0, 0, 0, 0, 30.487, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 20:00:00+00', 'assemble', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.127, '{0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 20:00:00+00', 'record', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.467, '{1}'),
	('desk', 'hour', 'stage', '2026-09-01 20:00:00+00', 'retrieve', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 27.339, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'tool', '2026-09-01 20:00:00+00', 'none/track', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 20:00:00+00', 'decision', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 20:00:00+00', 'episode', 1, 0, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 20:00:00+00', 'fact', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'day', 'category', '2026-09-01 00:00:00+00', 'research', 1, 1, 0, 0, 0, 0, 17, 4, 1, 112, 34, 0, 0, 18.87, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'day', 'frame', '2026-09-01 00:00:00+00', 'question', 2, 2, 0, 0, 0, 1, 29, 4, 1, 112, 34, 0, 0, 31.061, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,1}'),
	('desk', 'day', 'tool', '2026-09-01 00:00:00+00', 'research/track', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'all', '2026-09-01 21:00:00+00', '', 1, 1, 0, 0, 0, 0, 17, 4, 1, 112, 34, 0, 0, 18.87, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'category', '2026-09-01 21:00:00+00', 'research', 1, 1, 0, 0, 0, 0, 17, 4, 1, 112, 34, 0, 0, 18.87, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'frame', '2026-09-01 21:00:00+00', 'question', 1, 1, 0, 0, 0, 0, 17, 4, 1, 112, 34, 0, 0, 18.87, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'policy', '2026-09-01 21:00:00+00', '89bdf54c89b2', 1, 1, 0, 0, 0, 0, 17, 4, 1, 112, 34, 0, 0, 18.87, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 21:00:00+00', 'assemble', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2.066, '{0,0,0,0,0,1}'),
	('desk', 'hour', 'stage', '2026-09-01 21:00:00+00', 'record', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.553, '{1}'),
	('desk', 'hour', 'stage', '2026-09-01 21:00:00+00', 'retrieve', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14.512, '{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}'),
	('desk', 'hour', 'tool', '2026-09-01 21:00:00+00', 'research/track', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 21:00:00+00', 'decision', 1, 0, 0, 0, 0, 0, 2, 1, 0, 16, 0, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 21:00:00+00', 'episode', 1, 0, 0, 0, 0, 0, 13, 3, 1, 96, 34, 0, 0, 0, '{}'),
	('desk', 'hour', 'type', '2026-09-01 21:00:00+00', 'fact', 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, '{}');
INSERT INTO cognitive.session VALUES
	('desk', 'monday', 1, 4, 31, 2, '- call track: ""
- tool track: "Parcel 0 passed the harbour. Parcel 1 passed the harbour. Parcel 2 passed the harbour. Parcel 3 passed the harbour. 13,517 of 15,389 characters left out; whole: artifact:6ce59bf3-4bff-50ce-a3c6-aa556a34cf00]"', '2026-09-01 14:00:00+00', '2026-09-01 15:00:00+00', NULL, '0a6290796735854e', '{}', 0, '\x785e758f4d0ac2400c85af12b2b6a25b0f20b877574a896dd4c174463229a594dedd992efc29b84b5e5ebebc94136a10c603601f597103d8046fec2d4be73bc38534746cac30500482a7724c63b806856e04ea537d52f6bcc579031f1cc5e8a2510225a685207543223161cb093d75cb4d536a1ed9e0dadc6647b12f7638573facbcbe8ae67b59a437b95e23fe86f97a70090e8313811b1b3883e0e1a8aea531bd53bd00b9fc5bb5', 'turn-1', '2026-09-01 15:00:00+00'),
	('desk', 'lobby', 3, 6, 44, 3, '', '2026-09-01 18:00:00+00', '2026-09-01 20:00:00+00', NULL, NULL, '{}', 0, '\x785e758f410ac2400c45af12b26e45b75e4377a594388d38984e64265d48e9dd9d2962b5e032e1e7e5bf66c2a8c278041c1347ac009d06e3606575d2812fda3f41f86a40602c9c9c3e183480dd189c8e391c773857b09228259f8c3223e34c553a472229139b09030dcb3b8be4ee25e0fb3296447da8f738b73fac72be69154659561f72b745fc2df3e576cef5571f9fc0bf9558848a51fb0223375b86', 'turn-6', '2026-09-01 20:00:00+00'),
	('desk', 'wednesday', 4, 2, 16, 1, '', '2026-09-01 21:00:00+00', '2026-09-01 21:00:00+00', NULL, NULL, '{}', 0, '\x785e7590bd0ac3300c845f45784e4abb76e91374ee104a501c414c1dbb48322184bc7bed0cfd838c3a4e9feed42c86a32773069384d854606c0c4a418b741b88099c800e044f644b1e26a7c33677c8712425be98b5820f07459c28664286698cbeb5e8bd645eb39880e3764c19eda3185c5fc6e2a84ff5d1acf71f5659ffcb1492dfa437b9fd47ec86f96a769df7fbc08402925f001ab7a6037217135730c70482ae3fe49c2f60a16669', 'turn-7', '2026-09-01 21:00:00+00'),
	('desk', 'tuesday', 2, 4, 31, 2, '', '2026-09-01 16:00:00+00', '2026-09-01 17:00:00+00', NULL, NULL, '{}', 0, '\x785e8bae562acacf4955b252502a2d4e2d52d251504acecf2b49cd2b010979162b9464a42a242627e717a564e6e72914a526a654da2bd5c6020001071290', 'open', '2026-09-02 00:00:00+00');
INSERT INTO cognitive.turn VALUES
	('desk', 'turn-0', 'monday', 'user-17', '2026-09-01 14:00:00+00', 'completed', 'My parcel with the barometer was sent to the harbour.', '89bdf54c89b2', 'conversation', '{}', 'chaos/words', '[0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.28881836,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.28881836,0.28881836,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.28881836,0.00028848648,0.00028848648,0.28881836,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.28881836,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.57714844,0.28881836,0.00028848648,0.28881836,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648,0.00028848648]', '{"now": "2026-09-01T14:00:00+00:00", "plan": {"hint": null, "model": null, "tools": 0, "total": 3000, "memory": null, "reasons": ["frame.default"], "removed": [], "thinking": "low", "categories": [], "max_memories": null}, "query": "My parcel with the barometer was sent to the harbour.", "decoys": ["af03f1d2-d3f5-5182-838e-f6553aa76fe9"], "policy": "89bdf54c89b2", "record": "eF7lVttu4zYQ/RWBr5VdXiXS/Ya+9c1YGBRFxURkyZXkZINg/71nKMeJN7uLoq9FHHNMzo1zOcNX1o3Tie10yToflpntXtmcHgbfZ3KJXxe2Y3++FGc/hdgXz2k5FssxFo2fxlNc4lQ8+7mY47AUy5hPjn5qxsu0ZSX7+xLnJY0D23VQGEv2MMW4pOHhthH7Pp2XFG4bUwxxCC9sx7e8ZK1fIhwZLn1fsmMayMH9l5LBXFoSHdGvx/jyPE4t/WKrn7B9cxA0uYfl6hmDSJem2K7SfYKP5NKblXkZJziQXf4G1smfIoIQxuEpTrPPFyrZFP08Dtlm5ti2sfOXfiHtC1x9zDpZPz6DecD3jkkuqw13Gy7+EnrHOT6/5W9wnMYWbsPK0Y/z7+t1SuYf4PkhwVPWxvkRO8tlGtYNojYk6nv40r4c0nA4IylnZIzuFcbLgPyAk5JwQiQ3kvweR+R7vWvA5sM43QKJK86Lz1Fm3itbCdcZWQeIdamHsjVmFBQoB/3KUtvRcg07slY5JXQtLDfGOW3ULRNsJ7aSK1dLy7WSxqlKXFPzQ7G3bO3kVnFprOFOQiPXFezPcZ6RB0Ti35v/kW+5Mn5t/rMY7J/9PCM5CBQ6p/EzCuR13c7RB3lMazed4gnllFO256UoZamQHOQ3ocnyXv7D3hzGiTS+UqktlPgwzmmA6j3fKqNrJ4Ww5Y3WRBtRG6WtkR/pnP1VRXOSBgpyvsVWuMrYSlcWtBZSG27NHf1BEhUTjjnhV+Fb8iCM2pBOUwY/0G/CX5fDfxCm8E3xKY2XeY1WNnv/BQsDIOlX5xfKy2E+js+AHQQOsX3/h/x6fpnzzT4fo1Pi/C5+S866/yZ22161eUr6j91dpksuCXYcsaIsPi9w6pjaNg7f67kDDHUPGGTtXXAFozsn2Hw5A65ii4vmKIJ7iufeh9geGuDbB4fVyoAMtAlFnVFWK1ULJ0xVShQJGk/XtpROWpCirJyRupJVDa3nNAw5mntRQqgSRhspv1BFp1Pq/ZQWMrdfreR0ZGL/hXiCH9p0xfn7blHoFl7Kn3TL8nKmzgAuhkRQQBiFCfa+3A6goE3zGb20zqI9W6vj5nnJ0jTFPj4B+mhavAcOok++v6wtqI0RLvefq6So6CLOWvi4lbJGhHKAr3lgkx8eC0GAjZGIuu7S14LMzkUiG03EYMjjcjmi6Y9j3xZjV/hihYtdkRuoyCaKNBMhedED9SDgB/wmKCjQLqibELcngH9a4gmV66eIY0Pq8qBGPm/apDJ/wAFM8xkIWvgFFlcJMg4+VCeEdR4U12IpmpdCd522LqpNHazYGC6qjVfabFRlaq5ibHl0NPjo1ocm4k1BIQPUlboU131sZPQr9RvW/SSqSgDo7qOacxN+loY3gTVBNN1RCOOUobSPX1NYgXbLrdCUtcq66laL2KNHwMoGxAVs0puH2DFwKkMCHBPrXSJv0x3iCQVDbxdidpwb8ppXolarmTciH30QuLdiNLeE3lzVvM5VdSPyEd0nTfNyoHbO9QsWU2eRT0sGuDgd6HGwcmIUE+en5QPS93F4WI7Xa6whct8vBA7NSOC1279eA0wTHY+0K9bmB9sKkJlcZyGjhjqjR7sUMg5kkT51eezyb+X/QxmivYyPMb8XCTquIx8gcH1UUZzWzwmPyHTuU2yp89DJvEQTB4/QUusCDD4CFNJyfaR7izdV7apaBN85Zdsa/RAAxr5VXKMmeWy6oEwdGqmc501oKg4uJz23lXGEhxmnkDQrbOdaquC28VyGCB4DrGtaLYNvvKo7W3V1a+vQAvoUWkUr76OplQQ4GuhK63vcd1x1opWt6tCdVlplY1cZA+666oAaKCunvOFBt8oGgyeFbVxdwz3vvTHR2wzpolUA2aYJtfG6c7WRVaVdVQEWXaPA8gZRhFAEUIRP9/D07R8s6MvW", "window": {"after": {"tokens": 106, "messages": 1, "characters": 339}, "before": {"tokens": 0, "messages": 2, "characters": 15389}, "bounds": {"tokens": 1000000000, "messages": 40, "characters": 80000}, "evicted": 2, "repairs": {}}, "timings": {"record": 0.457, "assemble": 1.646, "pre_turn": 81.78, "retrieve": 63.706}, "channels": ["dense", "lexical"], "excerpts": {}, "sections": {"total": 3000, "budgets": {"fact": 500, "episode": 600, "decision": 500, "procedure": 0}, "reasons": []}}', '2026-11-23 21:55:37.666673+00', '2026-11-23 21:55:37.655653+00', false, '{track}', '{}', NULL, '{"types": {"fact": {"found": 2, "deduped": 0, "trimmed": 0}, "decision": {"found": 2, "deduped": 0, "trimmed": 0}}, "stages": {"record": 0.457, "assemble": 1.646, "retrieve": 63.706}, "elapsed": 81.78, "abstained": false, "tools_cut": 0}', 'It waits at the harbour office.', '{}'),
	('desk', 'turn-1', 'monday', 'user-17', '2026-09-01 15:00:00+00', 'completed', 'The barometer was a present for my aunt Irene.', '89bdf54c89b2', 'conversation', '{}', 'chaos/words', '[0.0002579689,0.0002579689,0.0002579689,0.5161133,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.5161133,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.5161133,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.25830078,0.25830078,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.25830078,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689,0.0002579689]', '{"now": "2026-09-01T15:00:00+00:00", "plan": {"hint": null, "model": null, "tools": 0, "total": 3000, "memory": null, "reasons": ["frame.default"], "removed": [], "thinking": "low", "categories": [], "max_memories": null}, "query": "The barometer was a present for my aunt Irene.", "decoys": ["01975f33-48dc-5ffb-9fc9-31c1386fe088", "af03f1d2-d3f5-5182-838e-f6553aa76fe9", "4ff489e3-7c81-5016-a345-365703eed0e9", "e07866a3-74d5-5bbf-8fde-2145ac5d5aa8"], "policy": "89bdf54c89b2", "record": "eF7tWNtu5LgR/RVBL0kQucOrRHa+IO/7ZgwalES5CauljqSeGWPgf88p6mK17dnNPgUDBOOx6BKrWPc61I+06YdLelRZ2rhqGtPjj3QMT51r43Ly36f0mP529knphv7iJz8k39yYuOQ6+NF3UwL+5PKSuBvW/xp85w9plv775scp9F16bCDJZ+nT4P0UuqeN4Ns2XKdQbYTBV76rXtIjO7Asrd3koUF3a9ssPYeONHv8kqU4MUyBXj2m8bQUxGf/8q0f6kjc1IQWi4pYkXZ4hJWjwaqeJbYBmpJi61nj1A9QIyr+CrcM7uLhg6rvvvphdNGsLB28G/suHhl3HGrfuFs7kT4TFH6OMtO2/4bNHX4fU8FE/sDsA+O/cX1kDD9/j7+x49LXvqVTzq4f/zFbA7WfYO8pQNO09uMzKNNt6GYCrR44bWqhS/1yCt3pihBdETCyq+phsx+wk0JxgT8fBOnd9wj3bGsF4lM/zO6MLN04uejr1Dlpcm4bLYoKbE1oIWz2GTkFwrH+kYa6ocfi9fTID0xY8ClecMO5NvwtDEdxyKVlupC0RQttkHUxMp++oWB99gbHj34cEQY44v50dhCmyI1ghVCaF4YZvTueH2CSsErmnHNrLMvX4z97Mx//8Q2Ov7pxRGjgJkgo3Yj0+BHLJ1bPuf8GRuTwbSR/YeGohvbRV++iX/uqf4E4OGtenhZeHAZCIGN3srHtz8umorqXPVtC6YJCv88rSsk/1Lrqx4ACRMFqIRTThsksXQqRHRB8ZoSWoC0uwTEXf0FxxQQGfTZi6RCDb/1X11X+9OSu0W0D0nN9/0pl1ffteKpc28Y8TKfBVc/pl1dKyHOYe9fugEeW8UxkMlOZBjdKKqCtgZFl2z/Qx6pHJyNepP9E9bba9cgOEmlc5FaaDAax3HCJDKY1zy2SHBm0rqWlPZpxo6TSAmuGFDNW2mKurCi6vAgNDWL5oVSkzIVGoWSREH+xgzWF5jkTnGTseFHC1TlavrKvlbZj39VfpK7836fTn+bfySI/LTW3N+FN7UV3KbhE8Wmovi53GmyOfce3t15xaZhSBaeoooF/Df1tjAkzm/3ZL4UzOkyqn2/TqzNuVLinNSFp1Kz/Ye26hrh535ygyIO3bbs1pWS4+PFNXEwsxC2juM3vVhF3OTdLpwJ7b9TvtYnNdBI+3GLlpuceT+T/Z4/JtXFm0AM851DXvnt/7N2J8r4x3Tv7TcQ8/O60T8fbFePR1/DYuyCBb/DX1lW+PpWYrDub5fut1PACWmuc90rKgluu80ygk1uLtDCZsMJgybPcaqFykReZzDWzlinJMqEkejtXQuDUa+i6GMBHnkEUZg4qU3yhZA6X0LohTKQOZajr6rBgjvsmomI8ZaYzkvizJjK9XNEIH1N/DSMmOQ1MGgfbY2viQDDblo0IwXUYr2inM2Z6BFBZ2iHJWMwg+LKj/vyPXSQg+atrb6QbZqOULKeuIqlfU7vaKB8XXCpLbXMLdVp6gJlkAhSczuiY576tjwnqEzlV+SQKS8JIi7xIWnQL7HPdtuOwcWGLZiz5a4kwJ3NPiKQscVNyQSLjLy6SvomHoYioWv4yJnG0ZEn5kgwxdH/7ZxKmhIaxByCdgEnfjgDzmzAhqQogC/2kCd8TKv8RvKD+4kb9X/05Ef83KbV2NUpJ1TTKWC8fisrwB+CA/MEBCDygNxVMel8zb6kJD657PpUetyYqyhmg6CzPaIbRu40I1JLlKz6J9YumxtD3dvUrhc4LoojcaPRG1I3SRSztt/pdYNUfi7AR2awCRG4tjqc+1g8RH7X+ewD6mgdiUQAX0cA0XH02lMG67AeeAviheyTxMfRhSXzzYj/6d6SINy64itAFkdgMLg0REHGjDaEupjU3UQHBpFLxVYG2tlF2Iu41wNRQUQPcAvII1KSE1ZEiBMAYFkpikGyUN/Sz2KBYPJn9F88ITcLTuexxFVscEEOGw0yM1CcLwe1sSdxDUQjDOJ1owMb5QOYXUfWPjwWJ0ZuIY/xwInC/RG02jyDn/WPlwpsd5Gx99zSdZ9ZcGtzXCNYi4B8eWmu2kgm5lT0BErpZzAkUb4bbTSBe8ZcrDC3na0iKfjxecd1pQhUnc2RpQ4N34HjNfgVh7GCkAHpn0uYyNwZXh+1KeLBWGyNygaZghC1w/f3oBKIkoUsYDUCeUOziJJ3i2KJ3NLd+TT8RcO2fffxscn8LA7RYPi9QFux/LvioEq5tgOVoszNOKH3l4Cca/0Ace7yD1Fu+WXlZskopYU1T8Yor65qyURWwY96UKC9ROK+4V7mypZWqcsA71vKyMFqURuv5+xHgAhLTcNPYGuCpqEvHROWFw3XX8LJWonKlk0Vj8qaoTVHVhbaSMXxlcM7Pnzpw5QN2mz9PuYbJhteilg01MIH88E2uNXYXeYMRgdKx0mmoXktTaXyrMKUtClZWzjmtvTMRVfJaikKXZVVopxpbaJHDkJwSz5YEd9Z5ROOIphENo7tZlKWMg6+RUpm60g2c0lRWwlX4StJ4ZuggzwqTg7dQtcZpjWlqL9AsXaVr7aDLl9f/APkt8Zo=", "window": {"after": {"tokens": 106, "messages": 1, "characters": 339}, "before": {"tokens": 0, "messages": 0, "characters": 0}, "bounds": {"tokens": 1000000000, "messages": 40, "characters": 80000}, "repairs": {}}, "timings": {"record": 0.49, "assemble": 0.957, "pre_turn": 22.821, "retrieve": 19.691}, "channels": ["dense", "lexical"], "excerpts": {}, "sections": {"total": 3000, "budgets": {"fact": 500, "episode": 600, "decision": 500, "procedure": 0}, "reasons": []}}', '2026-11-23 21:55:37.734952+00', '2026-11-23 21:55:37.728205+00', false, '{track}', '{}', NULL, '{"types": {"fact": {"found": 2, "deduped": 0, "trimmed": 0}, "episode": {"found": 2, "deduped": 0, "trimmed": 0}, "decision": {"found": 2, "deduped": 0, "trimmed": 0}}, "stages": {"record": 0.49, "assemble": 0.957, "retrieve": 19.691}, "elapsed": 22.821, "abstained": true, "tools_cut": 0}', 'Irene will get it on Friday.', '{}'),
	('desk', 'turn-2', 'tuesday', 'Bob', '2026-09-01 16:00:00+00', 'completed', 'I returned the accordion because a key was broken.', '89bdf54c89b2', 'debug', '{}', 'chaos/words', '[0.00033307076,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.33325195,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.33325195,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.33325195,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076,0.00033307076]', '{"now": "2026-09-01T16:00:00+00:00", "plan": {"hint": null, "model": null, "tools": 0, "total": 10000, "memory": null, "reasons": ["debug.broken"], "removed": [], "thinking": "low", "categories": [], "max_memories": null}, "query": "I returned the accordion because a key was broken.", "decoys": ["4ff489e3-7c81-5016-a345-365703eed0e9", "af03f1d2-d3f5-5182-838e-f6553aa76fe9", "01975f33-48dc-5ffb-9fc9-31c1386fe088", "c4b4e506-6b3d-5259-8857-6297d7dce5f3", "65b48cfe-6bba-5847-8cd9-fd277a6050e8"], "policy": "89bdf54c89b2", "record": "eF7tWNuS47gN/RWVXpJU1A6vIul8Qd7z1rXloiiqrWpZciR5Zrqm9t9zQMm3vu1ssi+pzFxsmgQBEATAA3zPm2E85FtV5I0P85Rvv+dT+9T7Lg3n+G3Ot/k/sjHOp7GPdTbvY+ZDGMa6HfqsisGfJsxkz/El++qnrBqH59hv8iL/1ylOM4jybQNuscifxhjntn+6TMSua49zGy4TYwyxDy/5lm1Ykdd+jtCiP3Vdke/bnrR7/KXIYz+3c0tL9AuCv0Ib+pWftYT0i44YgwSfi2Y5tjTtGOtld9dCR1LpLGWahxEKJJV/BenoDxEWqGN1egKTMfpp6JOwNLW5cp2h4nPilXfDV9D2+NzmgonygbkHxv/Jyy1j+PfX9AmKw1DHDjRh74fpb8sxoPoTTrhroSFkTM+YIdsvEzR6EETUQZX6Zdf2u+M4HI64JjpPGE79HEdQkvEPsGCiHocBl7ycMWDyaRgvBgw4z+yTdXPvpS25a7QwAduatgOzxVZkDDDH+Hve1g19LebOt2JjHZOGG22sK3mp9K39t3xjHNacKp0Qlmms0o28u2015ztrkD/FaYJDwRJ34vkGSgunZMk5d1ClfCX+7XKS/96+s/y3a5B/9NOEy4GhLNzJT3CM7ylsUtTsh6+wBfwWAQErYeApdm7vX726/zqG4QXsOJw9DXfrXgjDREunveENst/PmwLpnvdyEnIYBPi9Z5FT/qbWYZjaHmdnsLt2TnIhi3yNwRS4qynA/hAPCKfkuqBZlF+zwRi7+MX3Ie6e/DGZa4Rjntd/hS/Pw9BNu+C7LnlgPo8+POdwxDdq8/fU1q+MfaO20pwp6eAn76n9iWiKgn27pMmbsz2ygheikIUqdFEWBhwoQSKLQm9W3P3F2oT0SV70HeGKaEWwn3V7ZBthpDZcKlFcxiaNnSsZ/Nu8GkvD4PHSSprXUjEr0liChdZKE71EADKhmEsZYhFZHYSGdikn8I1lgiNwyyL9/ujjZjtSS9ine1k5XGL8x1h8m3d/AIuL3T5Um20UY44rxfiiGCa0VUIYTZd5HOOXdjhNyUWXo7z3ke4Vp+/xHn5Mmu4+7QfpiVLF7hwKFBfn//xmvM5d6JcQgRtcyd8Zk4e2hzhd2Scf42dPu6yf2b1xwUU7CvXXh/4sYb1jGhI1nlI2yfcDvhEg733Nvksv2dsvcNi3dR371+rcaSLvo/kTD12ZLS/13fny6XSMIywMG3/m42M8dj7Eelfhlbixj/x4EyXsFk9DwihK4jF0XJeFYJQhlTK2EE5YDHlROi1UKUpTyFIz55CJWCGURGxz+GWhhLXOKM5sgddMcYX8ymCkY9sDgIH9Iy8goOQIbiF+oXzSHtrOj+1M6lKM+r5uV/R0n6ewE66gkp+KQv9Gnppfjkjzj8sTd/MiLVgRM/HYToAwH4wuL9iVEALrdjriAVmQ4eP5VEXejuuLQIz/kx+3l3vLADK/+O5EJ0EmdKWUiJMNLK0c5dUfGXBthbvQguHFuXLCw0giTfsto1ifspb0ryIgYMLK8x6pfj909TZDpoGXh5gloVk7YcCMzTrAGtD5/kKxuewCiWYs+3MF18qWbIcpaYvMz9kBgUY8WDY0SRhSAsX1n6YsvWtFVr1kY3KMv/wdimUEYOJEW/1VMdp8ZaYILv5Uf7mzn9b//3Oec/Kn2FFNo6yL8sEEyx804+WDl0o/IHEbJmOsWXT/6+FC2cz3z7sqohNASZLeiBXH4o2w63pauIG4aSEB2fu8KrlGdkKKYm5JtJJpK8sEWi13CgOOGlBS6j2nVa51KVRKq2tN8JpnqX+Up+QL7YUnPVXDmNB2F7+1KCcWfGW5+hypnoHcugsYHcCZ2iG0m+Fx/xQqn3dP8YDamnoctE0ZYHgCglrwZJ3rDKrmZDiYi5O5WKldSea6oQWCl2T2lee9SsJqmxhILoEdMLjOWJNYSuWoNIBQx/QdqeKo3BPAbZ/21YAGAqnLBXAI0b0dMFeikKclhT8rjVxmLrsUlwJM0W+Z5h1Br/Tm05FSSfPx14rUE8EFT8dxt/QbiIPh6Ygffp05EMHK4Vz5dLF/mvcLG0AuYnP/hWrKpmn0MsrluiTQ2w2h1popqh+qgcAuVdKLn1FX4VoBp2p4LdlpuJTdOVLGdER537QhYba0pWsbrGEH1bdnZmxjVWmkY4IZLZi05lJds41DV8UKwRiKWRR+1+7AjSgSnrV9liACz8h+CWvMCa3QGsGVH9TmDz3aT2a/3x3+e5ul3gbaoFSmvG1MALSu7T7y0Vf/Dqdubo9dC6fB00i4FPhy7f8CWwLO3iFwatSc+8dRViwohRegCTxw5XxTNSqgHiqbygkljI+KR1UqVzmpglcOZROvjNWislpDkwVjI3gst42rEZqmrjwTIQqPlGl5VSsRfOWlaWzZmNqaUKPpKFH9K+l91EYKV6Lngepi6Rb7hsmG16KWjdac2iY2NshqoDZls7zsTnoN1Wtpg0Z/0VbOGFYF773W0VvqkXpeS3QTqioY7VXjEKglDlKWCFpXSZCcYQShCAIRhCFeQQiGxo5u0LOxddANjNIENNYCR+uyicySoIhaocReo2oNaY1t6ii40j7oWvukS1CVipqVZSVrLbSzVht0Rk1t6hDBHiSlrpQNTSyryqMPYmyoXVMLY3zJNIsW1/ZvowYa6Q==", "window": {"after": {"tokens": 0, "messages": 0, "characters": 0}, "before": {"tokens": 0, "messages": 0, "characters": 0}, "bounds": {"tokens": 1000000000, "messages": 40, "characters": 80000}, "repairs": {}}, "timings": {"record": 0.458, "assemble": 1.031, "pre_turn": 37.765, "retrieve": 34.913}, "channels": ["dense", "lexical"], "excerpts": {}, "sections": {"total": 10000, "budgets": {"fact": 1000, "episode": 1000, "decision": 1500, "procedure": 2500}, "reasons": []}}', '2026-11-23 21:55:37.794868+00', '2026-11-23 21:55:37.788783+00', false, '{track}', '{}', NULL, '{"types": {"fact": {"found": 2, "deduped": 0, "trimmed": 0}, "episode": {"found": 4, "deduped": 0, "trimmed": 0}, "decision": {"found": 2, "deduped": 0, "trimmed": 0}}, "stages": {"record": 0.458, "assemble": 1.031, "retrieve": 34.913}, "elapsed": 37.765, "abstained": true, "tools_cut": 0}', 'The accordion will be repaired.', '{}'),
	('desk', 'turn-3', 'tuesday', 'Bob', '2026-09-01 17:00:00+00', 'completed', 'The accordion cost 400 euros in May.', '89bdf54c89b2', 'conversation', '{}', 'chaos/words', '[0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503]', '{"now": "2026-09-01T17:00:00+00:00", "plan": {"hint": null, "model": null, "tools": 0, "total": 3000, "memory": null, "reasons": ["frame.default"], "removed": [], "thinking": "low", "categories": [], "max_memories": null}, "query": "The accordion cost 400 euros in May.", "decoys": ["4ff489e3-7c81-5016-a345-365703eed0e9", "01975f33-48dc-5ffb-9fc9-31c1386fe088", "af03f1d2-d3f5-5182-838e-f6553aa76fe9", "c4b4e506-6b3d-5259-8857-6297d7dce5f3", "e07866a3-74d5-5bbf-8fde-2145ac5d5aa8"], "policy": "89bdf54c89b2", "record": "eF7tWcly4zgS/RUFr0NrsC+eb5hb3xwdCpAELYYpUkNS1eWo6H+flyAlUS7Zrjp09RwmZIsQlkQikcvL5Les7odD9qjyrA7lNGaP37Kxee5Cm5pT/Dplj9lv+7gJZdkPVdN3m7Ifp41ibBNPQz9umm7z7/C6zfLsP6c4TpiRPdZYH/PseYhxarrnS0ds2+Y4NeWlY4hl7MrX7JFtWZ5VYYozC1MYaGPBhHlg+oHx3xh7TH//SN/YLXbVZQYm3Zlx3A9hjJg0s5j9mWf7pqNDPv1O66dmamg/+vUSX//A+ehXdjkqdqHD4oHj0pZ04Ayz62aI2J0Wtg3OTEfsTm1LG4xTP+BASQTYsR7CgXgo++5LHMaQBJRnQwxj36Xt0oxtFetwaieiPoHLl0Qza/s/MLnD91kYno7K7RthHPoqtrTLPvTjP+eT5Fl4xiF3DcmpiuMLeqbT0M0d1HqQNKkFL9Xrrul2x6E/HCF3OlfZn7opDphJl3rAzTwI4rvvoS7zWUt0PvfDRYY4Ii4uCTgLQTrDfa2FLbGsbloQm2VGQgFxtL9lTVXT4yrxR77lSnMpJFOSSQYFWC7hUW6Z50wJpaXUTnIM0LXc66eLujtwgBp8vwAcjXEccTOQzVuG2NZ4yZXljmntPXY/M8S31nOrvTJeCBpdGLrTPzN0ZyAx9F0/GDqGccT9QZYcllEkRf6WjDQZyL7/A3aGkdNIUkUjXA1m1hH1RkeqWPavRA+Glpq7ZS12Q0dD51/RxrSfp01GfEt7PgopFdzJrfaRSX3KNQyw6XB2tpXCaeeMh69aTDU5jUUUIH+IB5heUm/c0cz84omG2MYvoSvj7jkck7gGKO95/E8yur5vx10Z2jZpaTYNoXzJoKzfsU1m8B3b5o2wr2wLLRVz/JZtb7TQiokr+z/FAr/Hgn6XBeYdPtLb+5L7YGsy1n0zx4WVeJ9YznORy1zlOje5zV3uQYUCBEIHxMfy7z4YHxFCZgcPVzGRbzqL6YltOawLxsRcfm6DZbSl9PAEzKi3ba4d/rxBvxLeKO6NQJt5EJEaZsq2wlmGEcVpLcg7pgy1DbfOWCxOjm5mpTgIDc6Ta4MT0kxppxnPU8e7X5gplOTcckurrMUaaVdk4TnLfVKpM+Wze/uc8mXmyimeSX+ddn8h6cu9vHtwCF2DPyG8mw8CaQtprDLwg0uHFlxozoSku18c7FrMH4t2IeKc9lx7Qfd5aZNeHof4pelPYzL4Wbr3vmYVTSMOfHSANO+vmLU5TfbpgRUn8sO7s5shn3P+56v2uh/ty7rZDUG/r8s+aJMpNoc4XrdLhgSdvX4uc86k79razDX5qbeiWVDV3SDx4Y3QxsMp+fJsP+Oiu48ptAlrfPYAvX1TVbF7y+YNh/LWrX2uM1eyM8i6kUA2no6AYbHCrXxigMv1D/HYhjJWuwKReiVL+SPLKbQ2iOIJdCopLYcum1wwKLVXyrpceOHQ5LnxWigjjM2l0cx7wj958i2eKyFyJZzzVnE4SO6d4ooDI+VeOi8UNzKX3sH8uLQGAjg2XZf07onn2NVw2KoQv5MdNoemDUMz0WmeyNnCMTpOnlNo+sWUZyZ/wtwnP7tKoJtF5TX5W06D5IZCVzUXyL6ODuAQscEjOjDYk0akII/4WXSYXo+I809ZPDYj4CyhRkI7K3ACBH4Z+27WvaELrLmuBCNVMx6BKuZU5WkBEBeZ5VkzLHCBNp/t/k3nzYz3f6x1bU0VPHwJ7YlOCzfKNPwmSd4ooJsUwQAyU8jC9bPU46yHW0VDSSVTDxQlDcEDA0lQw9Dt05CVUlBku6g/wE73siHQMCGTg9+sm68bOhiyNzpjEZFnbGhs2iNA7/u22vT1JmzmS33cpEizSZxtmpEakm1aeHQsCB1+IwjmG7hjGHMZtwfkEs0UD/BiYYgY1kSO6BcwhQs1qPu/wMCGoG4cN2HCjvMK2hzzKNGEFBzlHXQC9VO8Onvm1f46XvVPsajkwqLjv4xFbn+KRWEWFr37dSxSZvDDSgkLWFhk4pexqHxK4ufQsCleN6qulfNRPtjS8QcAR/MQpNIPcOaWyRgrFmnJD58KVrycSv863RCe6g9ka7siojJEHoqA/grmw7FzQjc0aRm9SQPm0YT033Fv8E5AhWv3JrxFREx4XUhJzgwPm/wcR8zzNPni3rh0luvk3pac7t19pEL1YOVGf2QfCQbSqss+FIX6IaUtbfzaIEWc8Zy1Nnlbr9kCGclRc/UxLgDjCxUkP8g8qMBG1OBRRXLsc2MBv+tf7yGfBK4PqLtQXY1IAUQgs6QYYcENnkiIUtrDmQWySD0KaGM9BeJ183EU8qL1IuABxJ7VJrd8S+RsaSE3wifaUqvUoYFvaFcmkb6lwHSZwlHXSdsrq+bV50V08eqaLiyyMdLOskFCQXezaqShi7TS+FVQl5kLluti87wvelS1SE5Cp+QRbEmTjrxqMORzS0/a+WbO3CNwsNshVK4o7qI6OE47gpkJYJAobDrt6nHm+OORSwYShx0VTxbF44lbVKTOjzO1VdcyYT2yUDsnvG3snqf9WWX8Aj1mjQHkTAxrpMHUMNK59YCBvqS7vcw4r5DAs5SdFT1lCFT1me2HqlzXag1WXspL1JxLRBnhrSNKUXVTJoCalrRNjTGsoFrMX0IMiaXC+QUBcIOigkSh5Fxh23pnjXdGe3RbqtgsVbEV29RDdXBGwIVv6KYSMpoSyKKxhCT/hpP978r8/5z9oNJT1t2/xPSugLICfAQM/6YeAPi+VNfJhO7+HfByoTm2zYxWAMlZDjReBuguYXCg+ptshSqf59c/puaqUi74GtWeYKzkoWSqdJGrWIW6rI0ohKws41EbZC7RiBB0YZ2oYE2K8o4554CFO+5qXyEc2aoITJRRBIaqLi8qJcpQBGlrZ2pbOVtWiCyIHKj+hRC1RU5jUKFDJra8pamZrHklKllrzZ1w0sUaxSfMtqaewZaXQbNSVdKVWhruCg8TLsoA9nQMlFfUgVdSWF0UpdVB1ShBCmPgDRBCmS/oBckZ2RGwI1xHsO4NqmMc62ogB1eVuq4LX5d4Z1ACQoAT5mijyFByxFqrKo3daldXUSBghFJXOiReSlWoqJkxhaxQHvaodlkEVVvZqowgjylGF8qVdTRFEbRD/aCsfF0Ja4NhmkWiogPDYT33Jfe6isabuigNx/sSU0LyKHtkED+ra1xgIQpdoaLgWLA8SlnAwQHX4PL/C8y9B60=", "window": {"after": {"tokens": 0, "messages": 0, "characters": 0}, "before": {"tokens": 0, "messages": 0, "characters": 0}, "bounds": {"tokens": 1000000000, "messages": 40, "characters": 80000}, "repairs": {}}, "timings": {"record": 0.522, "assemble": 1.891, "pre_turn": 50.76, "retrieve": 45.496}, "channels": ["dense", "lexical", "temporal"], "excerpts": {}, "sections": {"total": 3000, "budgets": {"fact": 500, "episode": 600, "decision": 500, "procedure": 0}, "reasons": []}}', '2026-11-23 21:55:37.888701+00', '2026-11-23 21:55:37.876179+00', false, '{track}', '{}', NULL, '{"types": {"fact": {"found": 2, "deduped": 0, "trimmed": 0}, "episode": {"found": 6, "deduped": 0, "trimmed": 0}, "decision": {"found": 2, "deduped": 0, "trimmed": 0}}, "stages": {"record": 0.522, "assemble": 1.891, "retrieve": 45.496}, "elapsed": 50.76, "abstained": false, "tools_cut": 0}', 'The invoice says 400 euros.', '{}'),
	('desk', 'turn-4', 'lobby', 'user-17', '2026-09-01 18:00:00+00', 'completed', 'Do you open on Sundays at the harbour?', '89bdf54c89b2', 'question', '{}', 'chaos/words', '[0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792]', '{"now": "2026-09-01T18:00:00+00:00", "plan": {"hint": null, "model": null, "tools": 0, "total": 6000, "memory": null, "reasons": ["question.mark", "question.starter", "signal.question"], "removed": [], "thinking": "low", "categories": [], "max_memories": null}, "query": "Do you open on Sundays at the harbour?", "decoys": ["01975f33-48dc-5ffb-9fc9-31c1386fe088", "4ff489e3-7c81-5016-a345-365703eed0e9", "e07866a3-74d5-5bbf-8fde-2145ac5d5aa8", "af03f1d2-d3f5-5182-838e-f6553aa76fe9", "c4b4e506-6b3d-5259-8857-6297d7dce5f3"], "policy": "89bdf54c89b2", "record": "eF7tWllv47oV/iuGXtqiist9SR/60n/QvgUXASVRsRBZciV5ZoLB/e/9DuVFdpzMcu8FOuggi2iKPCvP4eFHf87qfthm9yrP6lBOY3b/ORubpy60qTnFT1N2n/2zX730+1W/i92q71b/2ndVeBlXYVpNm7jahKHo98M/sjz7zz6OU9N32f007GOePQ0xTk33lN3XoIiO2LbNbmrKU8cQy9iVL9k9W7M8q8IUwbjbt22ebZqOBHr4BdO6qZkaekWfnuPLx36o6FNGMoHxOIuE1kGaDOPqZogVDTqKtd6G4Xkh5nqcwjDFgQa3DSQnSY/Mx6kfIFcS/FcQG8I2whYnFfNsiGHsuyTGFzlAxGTW9Wk+eE5Q8Tkxzdr+IwTr8P8+E0yYO+bvGP83d/eM4fev6T9GbPsqthhTbkI//m02Q56FJ1josYGyWRVHUnHaD93cQa07RYNaCFy9PDbd427otzt4lqxZ9vuObHCfke+28MCdwOih77EuZmOU6Hzqh5MDSmg9heSdLATpDPe1FrbEtLppQSyZ/ReyGoij/TlrqpoeyV33ci20Y95o6ZjgyomjA2++Onr0nq+NckY7I7R2VjpuwGGM44gVB10XDPjaem61V8YL4ZjWZwY3Xp0YsLXxkivLaYr3Sksw2IVxhH2hK4ecRRixCj6naEnBsuk/QiOs3f1IWqMRKGSWPrRXPqxi2WOtQh/vrPFQyWtpLQP5+dXjgRa4x10zwuULVhj17azkDdLg1ZDplmq8lujbefFXvGYr0npDSrlcmLSmXxlMXRms7Memgw3YWjKrjMQSyLNDCmBrbpnlUpKPZ2eAyzZuEb0pAKD6rMMhBQ2xjR9CV8bHp7BLDhuwvI/vf6Ww7Pt2fCxD287pYxpC+ZxhOb+SXt6S/trdZ+mFccZJbiDqSXrwvym2/4LYa4YIEgbmuFIAUi60d3+g9pQmXvnOvOk7zr12nLGl7xbaf5Ph+S3W+k3WZCmn9XewpiS2aeaNcWHWB5bzXOQyV7nOTW5zl/uco5NDDSTlBqkeS4flN38wZiz7gXLKZ+RfpF9k7+MyecCKVoYpiTSUs7XwsBi3yD3o10gWyJsebcmtMczINERrzl0aohgyD5Neo82ct57G01SppdJepjY+IL0ZTu2ZFUt0hEbeY0JRvzAa2VaSPkcJi63QUCrtCVf/+Fp7wbj0CEOkaaOE4opfj7qcRFY4JO93KLO109Z6b5HEv6Z9Q7qFCtjeyk2K6ttaHDcYQ1ocNhvzRTWSgT5Nj38s9dMCuSV66oP7hRZMG+tmmcm/jDmlz5+NpDXBTh1CCCwMrBha6bshfmj6/ZgS500TJbLzok/Ned3Dwh0Z4M1pc5CkGYc4SR8wb0+b6+MxBVIVePzji/ayb9F/mj9neITOefpXtCnlNNs4ntmneEVcHH743D6NO7J5M6xnbSgpXlvvoiK42uBuOfTdCuKd6uJEi4Qe9mnXzTY9nkhktx5TaFPB+G0PUN80VRW7a2Uv5JaXGfnNhXs7aA8M5jL7wqKo93dxgM/h9fej8+otxB7irg1lrB4LVPcLL8lvI4RoqRqUhemIoiSytefa5II5qhwVIlB44dDkufFaKIO9OpdGM++RcFkulMSGyJUQuRIOmVpxBCX3jhKnwAAvnUcWRYaX3kmDEseCPLKydcp6haY3zjOQhFK7putSBDzwHLIYrpUW4hdKsc22acPQTKQtZcLQVc3hnHW5pSlsZxyRzRCrkAQiImQ5z/1XbmnTyw412sOpZE1l4FxhzqdLPI7l7I2O86tza0Hg1utjHwSsmnGHKnE+fD5kzXAo84jpxYeDpa563x7/9pvlGnyH4YIA5PwQ2j1ZCalaamVpqz01JPfS06b8+tU7PVguGhXl27PSmj+EUFZEnDTTsX3aoADZ9G11v0LSRySXcZWIrJoRDWb0qsX2jHGhO41Yn2ZhiGZs9ecCIbCatyaaznKCBbZINPgk2KqvEzMkWcqMfxpXqfDNV8XLakir8i9/XzXTig5ZMSEK4SwYTT4TU1Rs/+Dikymwx9bNpxXteCNU//GV+sF98lP8OQ38DOjvyEfHYoLymapr5XyUd7Z0/E4zbu4CSus77NA4X8VYseh/RvvPDeT79z/ayUP3/FhEoPZURRwxiCMCgcM3YRA5F4ehizFXOMU8JsEQqRxB5YElS8CC0B4kCGE4lCPCoZq0BBBYlLSEMghlNScoAeiqNgma8NbZGVA4lCOcW8epLuGA5zxBGRzogk2SHSG4a85A8mjg13H22pNQJ84CaAXBGLcYAyqxYExVaD8k2KWNnxpAfPOh0VqH6vx8CiHshKuvPRCA8IEaQJyEBMxUGbguTxU3ut49ESWAZAucne5LiKCGcQn7gR2FJVWZZkCrqWE8DhnUEBrHB2rADSKhQDCQTrPgYvIZE3DM3AAOlJ44T54nL9he6iOZc4mZhIMSAclwiKGGUkpSLQuuIq0HxnB+mXs42XbmlhAtJEbLZsmA5SbJhMTL1GPhvTMwNKtNeFXSlpCNxPfUeP1q7rlw5dXo5Qm5i83Tpuhx+0GMBFM4WBFHoWXieG4YcTDr8dVpMAOcMqusAZldzoJVZoEBYiUFU4NWYjOM0yMdYtOBhVxpE5HF4wDhfOHNK1ANIMXwSDD7YW3PRp/RxPQ40l10XQ5Yjlta6wgEtrF7mjYzeSPd7GecZRcPDSBx+dlwk/BGZsSMX0IrJ1LjMFFLJJf0QkqTjJZoECxV9ARcEK4/BzBdnZyRY4w8XYlQc75qyOhWcIcDaN2U6fCbprRNjXeYQWD+kRjBigz3SQowqnecI2hP9zq4EJGG8pHAEkfwHe9eFowIFFo13SoddviKLJ9OTVOq8ekdFflfKcvvqtj/CTH4zxhUWtJZbSW78h8uHRxyEqowrDccuH96MF1Y/tag+V3X1v+ABwku7Z9jus5/+9oG4Mnhdpvyy83f7b6dml3bIPBxKCCUBGhHLAPSBCEdAFcugKMDDUpzh29bRFmwUinhXV3ykisf6qJWJbBEUxeABIUNUfGojPKFl6oMCpWQ54V1WhS45QLFGWNAEnTc1b6iC6SqCEyUUQSGeOBFpUQZiiBt7UxtK2fLClWCxLatZAgRcYQ8jese4GTzFy1CzWTNK1HJGmnSodhysTZaY7Q19Xyy8TJoiF5JV2ppuCs8brWLMoSgdQwuwYC8ksLqoiitDqpGaSJwW+RRKQnmC4J4jscoOkXRIYrOUFdHqFTS1FIqV5W6hlHqEvf2Jcc3EeqIIoWARlSSBnOtqjS41a6uIr5qoEOpKx2SLKUqVMSdoClkpVH0OmzN2J1sZasygjyGGF0oV9bRFEXQgF1dWfm6EtYGg9IrEhUdGJT13Je43qwiQNm6KA3HLa8pYXng0xnMz+q6dLEQha4A8zoWLI9SFrjzR+2JIZxFGctawFG1Lqoy1HAw/jiUV6VNt+S81PTNBEiNezrHQ1Fp5XRthVF1cBEX1P8FyEJ0YA==", "window": {"after": {"tokens": 0, "messages": 0, "characters": 0}, "before": {"tokens": 0, "messages": 0, "characters": 0}, "bounds": {"tokens": 1000000000, "messages": 40, "characters": 80000}, "repairs": {}}, "timings": {"record": 0.453, "assemble": 0.982, "pre_turn": 12.191, "retrieve": 8.928}, "channels": ["dense", "lexical"], "excerpts": {}, "sections": {"total": 6000, "budgets": {"fact": 1500, "episode": 500, "decision": 1000, "procedure": 500}, "reasons": []}}', '2026-11-23 21:55:37.925464+00', '2026-11-23 21:55:37.91748+00', false, '{track}', '{}', NULL, '{"types": {"fact": {"found": 2, "deduped": 0, "trimmed": 0}, "episode": {"found": 8, "deduped": 0, "trimmed": 0}, "decision": {"found": 2, "deduped": 0, "trimmed": 0}}, "stages": {"record": 0.453, "assemble": 0.982, "retrieve": 8.928}, "elapsed": 12.191, "abstained": true, "tools_cut": 0}', 'The shop opens at ten on Sundays.', '{}'),
	('desk', 'turn-5', 'lobby', 'Bob', '2026-09-01 19:00:00+00', 'completed', 'Please close my old account at the lighthouse.', '89bdf54c89b2', 'task', '{}', 'chaos/words', '[0.35351562,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.35351562,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.00035309792,0.35351562,0.00035309792,0.00035309792,0.00035309792]', '{"now": "2026-09-01T19:00:00+00:00", "plan": {"hint": null, "model": null, "tools": 0, "total": 8000, "memory": null, "reasons": ["task.imperative", "task.verb", "task.please"], "removed": [], "thinking": "low", "categories": [], "max_memories": null}, "query": "Please close my old account at the lighthouse.", "decoys": ["4ff489e3-7c81-5016-a345-365703eed0e9", "01975f33-48dc-5ffb-9fc9-31c1386fe088", "af03f1d2-d3f5-5182-838e-f6553aa76fe9", "c4b4e506-6b3d-5259-8857-6297d7dce5f3", "5a0c5391-9c19-5de6-96fb-c613166c9d0d"], "policy": "89bdf54c89b2", "record": "eF7tWtlu5LoR/RVBL0kQ2eG+OD+Rh7wZFwZFUW7BaqkjyTNjXNx/zymqN9ttj50gmRdjxt1simQVa2PxlH4v23HaljeqKtsQl7m8+b2cu/sh9Lm5pB9LeVP+o09hTkXsR3xun4qxb4oQ4/g4LEVYimWTir673yyb8XFO12VV/usxzUs3DuVNi5VSVd5PKS3dcH/sSH3f7ZYuHjumFNMQn8obds2qsglLAgfDY99X5aYbiLPb36oyDUu3dPSIfj2kp+/j1NCvMjMH0uANn3vu0DoxVmJG202pWSf3HVgkjg5E5mWcQD9z/AeGTmGbsPklzA9YZ4IIxiGTop7rbrtLU1i6b0Q093xLU31o77LEiOIC7h8ynbIfv+P5gM+bUjBhrpi/Yvyf3N8whv9/zZ8YsR2b1GNM3IRx/tu6Q2zpHpu/68B92aTM0vI4DWsHta40DerBZ/N01w13u2nc7qA92mtWVZowkvSyhXCvBO1pHKH7df8RnffjdJRtxGaXkAVfhiCd4b7VwkZMa7sei61yJEFhcbR/L7umpa9VEzfyWjHOvZWOGyO41npVzsUHB31dfHhU4aW5YGBO8wxjgyjO6YtrZr1SXCturHdS2z39Sw+O9C89PKP/+jHo78I8QzuQFIcf1aR4iIH8KbvTZvwOR4BRwzmwfTQCOdW5BdgXFtCkOD7RetfeWeOd0V5La5mAZ+RHd/u1QD3tuhkGc0YKoz5PSl5YGrQ6kuz5Nl5z9Hla/BWtVYpkrQg6z82aPOKVwNQLgcVx7gbIgMHovDSk9Krcx4YcUPZawPLbtIWfZ7/Bnlfm91FqSn36FoaY7u7DLmsKHn58/gd58zj2810MfZ/Nv1ymEB9KeMErttUltt2bbEtruFX6Da4/RZlfoqzfpCyscnBQDWFcEtinSMtLpF8a90lXwjjjJDeIDD/Vlf+Jrq6ZY14Yq8wLrUE1Zyp3/0OVU0h9ZanmTcEjOGrHGQPDnxQ8Rd1Nt57WZ3u7ZRWvRCUrVenKVLZyla84OnnFRcUlVImzpMPhDtNl1Zv/MG6O40QBDdF8xMmBg+egtVt2LTyYhrWKil1zZZiSlklqa0Qq5o1HW3JrDDOGml7CIyX1nhRObSOc51zTTKml0nBcauOH9l4rGr9SAvdoC820ZoL6yVucwqLU1soKjKchmivNrLL5yAPfP874zsfcpQ/EDKGF4MKo9TkWsg5Ogb9jh1LWSA5d7UdI48EMTphTB/cGjFtSzm5K3zokQznK3L5JedVTfrxXVW5zAf4HYv7N6at+8+iDitepMndi/iMdSXeHsEcx8PDHz9rnfRf6j+usYRK6Py3ziTbFkG6b5hM72fj40QRhoIf2ceyB5Lt2uu6SnO6llJ+dry+Oi0sKefc8fuesvrAWbWF6zKdZuRnxDW+99LWEPqdx/80XaG26pknDSyE82498HoTeNMh3H5xIrbnwM5mX8yPyYVgJ7OSil/2cJtaf0q4PMTV3NRLxM42uVv35D/LFpkNqlu8PSkrLPdemEswhxMCnXSU8opBHugCHFsrgBKmk0cx7hDVWCSURprkSolLCOW8VZ67i3imuuMAAL50XyDBlJZFjGssRmiphtEEEQfqJpjfOMyxZeQplxiEPlgLRBAO8xp533TBk57rlFRik3AXR6DcKwt2268PULSQMCmlhaLr9zeh54KeQzxASOOLIGvA1hQKP0wCxk8LhRwP/8rRDGnVLaeaa+p0SzPWK+H7HIRk9n/V+30VChylgvOnmHZK79TZ5W3bTPkkjRj74Yy/hD4//4LLnFv8mK9jBt9A/kkxxtHkvcWK82xBWSOPeH/PeOrhuwUJfkcjOtffask64iuZr+7LBMb/BteymwImFMBJTkecW3YyGZLzocbvCuDAcR1wfZ2EIDsHizzU8rFgzBJrlK4IFtoh5+IXnY5uJ4QSgcP2nucj5TlXUT8WU7fsvfy+6paB7VJppajgxRpNPi3EPtX+xv+rsS/r/gfGQISI9a7sfBSVHMwzvy6S+HPorHn2dBr/kMDukvHQYqrZVzid5ZaPjV5pxcxVwL75C9ogbdkoNS1/n36/NPiiPCsPDXZ1QOKGsbkVc6D7+Am1BSm4rrvYTjiPfwGbWkRl2yami5M5n8ASwhCX4Aw1lbcYmtMzAxzFTFISvZLgEgAt9A3BnuYMbYN85G9S49uSGAoiSwZpjosg9XW8IeAElupEcYdCVEwE7zEDLh1hRBgjcB1nh2mXYxqI+kCdJ51TGgw6s0I1jnNayVNqiHEEVI4IhNGoRxBQDSpOnMM2UBYpwzZSRkjbPBFBg2hhDFUJT2s2kz3SYwR0rN5SxwFypIa3OY4/LAAPaD+ZIyfN6AKZISXtGAIlliGllSErgP3klTjAR9TDcHfM86wRpjnEtzMoQd7hnrktyUgujAktuKKUyDMYkZuWNCa2zDqEGy3IP8LYMsjHhOVvBIpTf6hEFHmKFc5HhMIaHciV86lE+83Tq4WyVAMf1OG8Td2O7TleoPuQGuNwviH0+m86AYa6kgASCExTY5uWOoIB8XyOBZvP96dc78Fyee3yeMak03VGZYKVgV8l98OsyBHg+e4+gHZDPPg33y2YlBSgg2w8ZKjUOv+FxWYiH32JFQcG5E2sDPprVijoYy1O1UauYjz37yRq2sYpMApsgCKMeCT6i2sjqD1TnAPwJc1QS4QC0sPax0HTtLQHLHvAC+hlc4FAOokLIWmbJPUU3FPlyxgsSZr7lLTkrpmeUFs87wABtFzMEQfggqqYtpoM5KnkcuMlPDnUuau9LQmf0vhZ7ITNo0BAC7rRizjnE1nMNeg7DEQxupYCMoyr0WqJfGjzY8i+yrS8N/r+iQ65BPqT89sX7dSvgWvs3E0pYxfv/t4/90u36DsEOuTcl/0CkUgxwLEKjAIA9Q/h+Mnwc+qcCr4EA1gK6gDXmYpyKOTwdwuq4TfQuyD0tPIxL8YAXQQheperx4UWbJGsWlRLetZFHnL+hrVsVAVCbtgbOLGxIiifkWL72UsVAMd7z2jotaiDLWG7FNhDhHXetbwhzburAREwiMI1AUzdKxFAHaVtnWts4GxucIZIxr2QISVuJ00vQWt36ak1omWx5IxrZaqQrwkmXWtS6MNqadr2SeBk0WG+kixrZqKs9XleoYwhB6xQcvTUSeEOnVV1Hq4NqkZOhBKjoiBLM11Q6Ptx/6PpDtx+6/Ly4++RcrkWC55qoWwiljV5CVMif2oRASvA0swit2J9qNKi1rm2SQGEwRN3okHmJqlZJI1uuZaMFypZIeYzwtrFNTFgeQ4yulYttMnUdNLB8FxvfNsLaYJAjJlpFB4bNeu4jKrlNwinc1hFFSSQDEZKn95Agfta20aVa1LoBMutYsDxJWeNlDmYthnCWZIqtgKJaXTcxtFAw/jg2r6LNrz/wqJHdMHCNIqjjoW60crq1KFm2wdEbSIrJWDuHjCEF3Spsm9cMJiG18Ujg6bUdl4SrYV3JCqVrwYOM2ifovI061q2GIf4bRYYIkg==", "window": {"after": {"tokens": 0, "messages": 0, "characters": 0}, "before": {"tokens": 0, "messages": 0, "characters": 0}, "bounds": {"tokens": 1000000000, "messages": 40, "characters": 80000}, "repairs": {}}, "timings": {"record": 0.432, "assemble": 1.053, "pre_turn": 25.983, "retrieve": 17.924}, "channels": ["dense", "lexical"], "excerpts": {}, "sections": {"total": 8000, "budgets": {"fact": 1500, "episode": 1000, "decision": 2000, "procedure": 1500}, "reasons": []}}', '2026-11-23 21:55:38.015086+00', '2026-11-23 21:55:38.008799+00', false, '{track}', '{}', NULL, '{"types": {"fact": {"found": 2, "deduped": 0, "trimmed": 0}, "episode": {"found": 10, "deduped": 0, "trimmed": 0}, "decision": {"found": 2, "deduped": 0, "trimmed": 0}}, "stages": {"record": 0.432, "assemble": 1.053, "retrieve": 17.924}, "elapsed": 25.983, "abstained": true, "tools_cut": 0}', 'The account is closed.', '{}'),
	('desk', 'turn-6', 'lobby', NULL, '2026-09-01 20:00:00+00', 'completed', 'Somebody left a telescope on the counter.', '89bdf54c89b2', 'conversation', '{}', 'chaos/words', '[0.00037765503,0.3779297,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.3779297,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503,0.00037765503]', '{"now": "2026-09-01T20:00:00+00:00", "plan": {"hint": null, "model": null, "tools": 0, "total": 3000, "memory": null, "reasons": ["frame.default"], "removed": [], "thinking": "low", "categories": [], "max_memories": null}, "query": "Somebody left a telescope on the counter.", "decoys": ["af03f1d2-d3f5-5182-838e-f6553aa76fe9", "c4b4e506-6b3d-5259-8857-6297d7dce5f3", "5a0c5391-9c19-5de6-96fb-c613166c9d0d", "10e3ecf2-617f-5bdc-af1e-4f1e13454c70", "4ff489e3-7c81-5016-a345-365703eed0e9"], "policy": "89bdf54c89b2", "record": "eF7tWutu47gVfhVDf9qiSsr7JX2M9t9gEVAUlQixJVdSZiYY9N37HUpynMROJjNb7GI3SGIzEnnuPDwXfiuaftgVV6osmhCnsbj6VoztTRe2eTilr1NxVfyr36Wqrx8229RMm7CZ0jaNsd+nTd9tptu0if19N6XhsiiL/9yncWr7rrhqACSVxc2Q0tR2N4cHabtt91MbDw+GFFMXH4ordsnKog5TAvLufrsti9u2I6I+/VIWqZvaqaVX9N9devjSDzX9V4wLecB+oAzjhagCs5t2SPW8cNuCPKJmRTBO/QDcmdr/YuoQdgk8x777nIYxZF7KYkhh7LuMLs+4rFMT7rcTQZ9A5V2GWWz7L5jc4fOqEEyYC+YvGP+3YFeMfv+ePzFj19dpS1huQz/+Y+akLMINmLxuQWlRp/GO+LkfuvkBjS4MTdqClvrhuu2u90O/20NBxNfK7VVB8t9BiBeC6O57qHfmNeLhTT8cZAgWxylkARchSGe4b7SwEcuadgt9zjIjoUC/GH8r2rrJJjJLvC2u5KUWRhqmhTI8/0DEsJLTb1b1nH57YOElUNAwpnGELiCNZySIS2a9Ulwrbqx3UtuVhFNvHkk49fZAwsuXIGEfxhE6gryIzSqMMJRveeNkodz2X2D2MOH7kSSHQaDdc2QH3D6zgzrF/oHgXXpnjXdGey2tZQL7IL+6XmABe9q3I8zmCBVmvR+VPAEauFoS7jEbLyl6Py7+AtcsRbJZeJenxi3JuN8SWOzHtoMM2KUS3ijuDYSweILsPhYtAPwu7bCz8+7xq6AWnzTAgX0OXUzXN2Gf/Y5jXhiroNYBuwRLFn/wBIx7A8yzxeQa+n47Xsew3ea9VExDiHcFttQL7vkp7vUzc3nkXnrOrREO2jzF/btQq1Oo3VnUwjjjJDf6V0BNLuqFzs151Foq5rjHcfXTXJMbfoFanUcNU9NwdLCQN80NSpn3yhlz+xk70afI9mfJ5hIi016eIfsVOyG/f9vOIcHRVvrESl6KUpaq1KUpbelKX3I85CUXJZclVyXXgIszrUUcAatn5as/mItgYiC3+o2O3YkOwdXSP7FLybyX3lpRskuutbfaeUljy6wUxufnR2PBuWDOWoPnwlkGN6E4xtI6h184jMV5wDHTWAKkYzi+aHyES1nPPGSn8VxLrZiXkuaIgxECDgMQpgTNmZ/jM+M13sNYbD6ZwdLXI5byaXzqg/BL7Sxnfn4PxNxbCeRufSCV49ID/mGGFtJAPPIwA9sTB4m06wOhcLQzIzmpdD+kz21/P2a/+OksKbN28+tFwXm8qhhsdcTTWSCzbeQ1q3nMABYDya8A5Z4O1OvVaZMHX//40fj42anny/sDvHn3wXYewf3AmDZHu0vjI3nZkGEDyw9M/ti0D/NX9G/a/cw9eaHnmngSNTzzSqeU9mqU8UoEctYAFv1Mw30+rYvbHt/wCKe+prDNweqv9wVR3rZ1nbrnwnnCp3zq9l7l5eSGe7riEekc7T/RSjHe75EPpBqW9R2wXp8CTEPab0NM9XWF5ONI+8s2/gleaJfXLcLUnDkpKS33XJsSTlF7BMrWlQIOBENeGk+BOyKfUhoN38eUZKVQkmOJgndUwjlvFWeu5N4prrjABC+dF4i2ZSkRbxvLJZytMNpYB6epMPTGeQaQpWcGcYrTupRCWZoAf2oZR7xluS4dIGklGINE9m3X5W37iZcg2iCg10L8QsdDu2u3YWgnEhV51NDV7ZInPj+cDPwVjiO4GTqJcBZx+CF4HQ+HhvNJw4W983CaHvYIOJH3UZz/GIafHh0i6TmhfnP+GtS/A+7LJWCobsc9QuM58/5UtMMS4hIFP/LPoowfW/ydCI931FkiwdvnsL0nDeBYlcqqfL5+z8A6bf33Tj4PEEYvlXoJJ2/ixU8UVULqn2sh0y1Cmdt+W19tcNLChcW0yQRv2pEGxqCMMo6YF7rDjMvDKkzRjG3+WmH/oq5C2Q4e4fzfhGmzg/fFf3jfNxkZTic6Qv4ybnJQWm6qh82Qd8rf/rlppw1lrGmkpajarITR4kdggvKuD/JnnX1I/89nPLSPEBU37dcNxaEj9s3HjvjwRx/u9OMw+ziL3x9KrIkNhSKqaZTzSV7Y6PiFZtxcBJSjLpAZWCZTqlnyH772N/W1FMWG7u66SugEUpS9VveOa3uPhT1kUeh9cL4sO5r/SjUQS9YiXw7jpeBKOyq3cUGlrVz3QkWL6mYwj3mA9C8H3Yco3hqtqV4nkK/Or4TQLFcCkaLKuSRoNBI+DIxAZpoLhuhJURJwiOK5RDpKy5HUckfJ4KEbcJY4hTrgU+pQBCe6f5Q6xQwtP1An3ALwQJ1Aem0UqKM0sh/mzmzaoV1HnVMqbWmZy6AMPaNcf2SQCxpH1MyQMlc5mfCoi+aBRTKMb0VVTBoga89rPAr5JDBmFeqqGYpHTYAGK3yFB3nuARqeoLq4giPVLoShbJtrnTOBUiC7z8g8KtB5YFFrzbAZyKYBR0UgYyON5clQrssUCcFsHmjUfvNyjcJEnqxQp5i5kPNcye0sgwM8oX1mJ4PL5cr25rbqh5k0rqzM2EjK80BYO4sK5M5PDnMOAw08+RXklqHDgLItYbKSmQCUm2dpvXz1CJDZXHlmnACSjtthnK6pvpTT98zzrIPHr6UgfOLNMu+VsnJedHify6RpuKb+24zN8szN+75ew0eQVoIxXqvgKOxvU3cz3c5oUWPKFsfNbIMwgVkZ2jqRB8uMFxOlc3mphqWTuyBjFZkHbWDIeaA1m+esgwWKZgJlIHrhjBVULat6qmpSS3LebNSPfWwlYuahz0rDuX9Z4Nwa9+ibNm3Mham8ZNtS6xsrqMP3fwHGLp2BhaLJAVOHwKgTvXaez7Zsj8im2vSm7Ta5hMA3ZAO5FjHl5IfeUfbzG3EGdQrJnYM3FNiRx5xZjZPCoFSohUbb55RGfr+s/X7N6U9C2R931/yRFUgNtf4u5WtXbzeRUYBdriyRb/6e3x0ucLX7bQuvh2SFkj0UUFMMcCRUPEW99kmJmu5tvb6i77YPmzDeoRCLghLAjJt+2IzhYXWxuDdFt8VuCHbXT5s7XBXr6D7IetUuyYpFhbstrok8cuVDUzUqoltjmgpNF2FDUjwpo3zlpYoB/RTveYUoWVRos4DGuZaFEwrhbeNrasDUVWAiJhFw5jle1UrEUAVpG2caWzsbawRmErGLkiEk8q+4V0Ow2vmGXWiYbHgtatlojcAGbZvUIM7BbGuaOYfzMmiQXksXcU+Cuwo9aVbFEILWKTi6VBZ4LYXVVRWtDqpBJx/VcOUNwlbmK6pDrwkj5YuULlK2+CxZZIj2dSPRB6+jbiCUJiKIjRwJRJOYI0SJ4WjEWqtqDWyNa+pEKUeIutYh0xJVpZJmxlSyxoniHXoFOE1tbeuYAB5TjK6Ui00yVRU0Glsu1r6pESYGXHdjiaDowMCs5z5yr+uEtldTRcMRU5sIyaNTWED8rGmiS5WodI2cw7FgeZKywi0vZi2mcJZkio2Aohpd1TE0UDD+0HbQKtp8UYVHjTiKgWrkPI6HqsZxqBuL8LYJLpHomIyVcwgNUtCNAtu8YjAJqXFFgnG61eeScBWsK1mhdCV4kFH7BJ03UceqIYVzV4fGe1FDt+AfAoBskJ2ZVNcNdEtQKhNw30JEU+OyGjQNS7UJXLO6ShXXMOf/AYcEPsI=", "window": {"after": {"tokens": 0, "messages": 0, "characters": 0}, "before": {"tokens": 0, "messages": 0, "characters": 0}, "bounds": {"tokens": 1000000000, "messages": 40, "characters": 80000}, "repairs": {}}, "timings": {"record": 0.467, "assemble": 1.127, "pre_turn": 30.487, "retrieve": 27.339}, "channels": ["dense", "lexical"], "excerpts": {}, "sections": {"total": 3000, "budgets": {"fact": 500, "episode": 600, "decision": 500, "procedure": 0}, "reasons": []}}', '2026-11-23 21:55:38.076085+00', '2026-11-23 21:55:38.064059+00', false, '{track}', '{}', NULL, '{"types": {"fact": {"found": 2, "deduped": 0, "trimmed": 0}, "episode": {"found": 12, "deduped": 0, "trimmed": 0}, "decision": {"found": 2, "deduped": 0, "trimmed": 0}}, "stages": {"record": 0.467, "assemble": 1.127, "retrieve": 27.339}, "elapsed": 30.487, "abstained": true, "tools_cut": 0}', 'The telescope is in the cellar.', '{}'),
	('desk', 'turn-7', 'wednesday', 'user-17', '2026-09-01 21:00:00+00', 'completed', 'Where is the parcel with the barometer?', '89bdf54c89b2', 'question', '{}', 'chaos/words', '[0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.30151367,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.30151367,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.60302734,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.30151367,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.60302734,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108,0.00030136108]', '{"now": "2026-09-01T21:00:00+00:00", "plan": {"hint": null, "model": null, "tools": 0, "total": 6000, "memory": [10, 400], "reasons": ["question.mark", "question.starter", "fact.define", "question.asks", "research.asks", "research.question", "possible.memory"], "removed": [], "thinking": "low", "categories": ["research"], "max_memories": null}, "query": "Where is the parcel with the barometer?", "decoys": ["af03f1d2-d3f5-5182-838e-f6553aa76fe9", "e07866a3-74d5-5bbf-8fde-2145ac5d5aa8", "18daf992-d53a-5b44-8c59-83036eddfd38", "65b48cfe-6bba-5847-8cd9-fd277a6050e8", "10e3ecf2-617f-5bdc-af1e-4f1e13454c70"], "policy": "89bdf54c89b2", "record": "eF7tWttu5LgR/ZWGXiN3eL84D/mJAHkwFgYlUbbgdqsjyTszGOy/5xQpdat9m/ZevIsg8IxFS2SxWFWsyyG/F20/PBbXqizaUE9jcf29GLu7fdil5hS/TsV18e/7OMRNN26m+7g5hKGOu82XbrpPf1dh6B/jFId/FmXxn6c4Tl2/L66n4SmWxd0Q49Tt74rrFiTxIu523WHq6uOLIdZxX38rrtmWlUUTpoiZ90+7XVncd3vi6OYm8VaUbKt/+gkk9lM3ddTtBn89xG9f+qGhv4rMGtg48lSgR9sNsaHPC3PbxzA8rJjdjlMYsAC8oom2TWy7faShuw6rIe4XhsapH8BrWswv6D6ExwgBHZddFkMMY79P7HxwvpP0tmF8GMHNEMeIJd2/+Hs136Efx67axe1jfCTewPUEwT0ktotd/wV09vh9XQgmzBXzV4z/S/BrxvDvb+k3ejz2DQR3XdT3oR//ngVaFuEOsr7tILyiiSOJbHoa9vkFta4sddphyc23225/e4AlHGAwpJe6f9qTTK8LsohH6PVK0JL6HuaWxVnj5V0/ZFUeF0srqCHBKSTtFyFIZ7hvtbA1aajbgWxS6E+kAUyD9veia1p6zCZwzbfGc2MN48xYzqyAhc9WUbzyEZTGCEH2tLozQmzrHXPCCy0Z51YYuSL08iMIHcI4QnLgnTvqO8JCvmcTpt1133/B9oCtP420CjQC7bGVdrh9pp0m1v03ogderPHOaK+ltUxgw6RPtzMtzB4P3QhlrqZCr49PhVW+II0XHYlovYyXHH18Lv5irixFsiT4oHOTI2t9ITD1TGB1P9IOhk8x3jgvPZYzewm2tQwGYazDtLMyMEvePcm00TevYXZZQ9zFn8O+jrd34ZAUNsBwl++/0Ibr+914W4fdLjuaaQj1QwHzfME9f417/Sb3Chbss80d2Zdaai2lX7H/IRbkayw8t7iTAKUSzinGsH+OLEAEr0oO5v6u5LbMMS+MVeaZDCGolQK4/QM1YF5ZviAvuHaHp+ULATfCDBnLa8v/kOTVa5J3b0/NlTKS2zck/6Gp9WtT+0+Zmrz+iw1r3p6aCUE7FCbyQYFTOLjvcg6zsqYbVvJSlLJUpS5NaUtX+pLjJS+5KLksuSq5LrmBQBH3OuQ+2MOs/MEPeo91jwhN0yFeTRQqF7u5YVuhrPRKSoe0Zd1WTGvBYFR4v24b47UVzlP3bHMmdUHYEY4JiTbnWgpsfo62hPcXVjJL/R3ExXQiKbiS3qEXtbMoJfXHezKmTH/1Xml4QsedeNbHMsWcZ4qksqyuehQaoknBm8ONGqMoElEbtB3We96WW2GUZeSBQR0S3xriXzlF3LEyEbrw14oN5BL1fXK0MydLpIdCj1H/vC230kkJuQueJ1x3vJCDE6cLL1+n29/Iy5qvt3j/CHtklHMas1bWMxICBmmY9Vy48pL2BzlI5gLZHDfDm+MRnpmEpWshsnRh71xZLpQgi5HKeGm1t8tHybVQ3Ptjb9pYwivnjj281kYJfXyhtTJKM8PJOxyG+HPXP40pzGfree1XdhTpC/mKbDBn3gJy3tMS36STPU0amZxNpnHmbtI7EHqiZPF2iae0L5b/fNV+7916DNpHmjkWwxedSP7KNsWa7jGOJzaTe4RjmX9OrfnNccTCxAX+NEuCYsVz3Zxlx8+Svdc0+F42faE10wKGp5SDFvc9nggurz2msEuF0e/+AAP3XdPE/XOJnC1OngfSCxf3vtc9zZyL2TN9FOPTIQ6wLNjWpc77h9MN8bALdWxuKxTXK+XL32kG7P2mQ0mW4AQEZcs916YUzGnvlbLwgx6x1yteIgzDOyJJLaXRzCMESlYKJTmGKPgpSoe9VZy5knsHd8UFOiDmStSZ0oKooZCqrFdoUuyDi9OlhwuyxmldSjgt6oBgaRlHQmyRfTjpvFaCgZJASBVIuJGYwDdKD3dmoZFDt9+n7XzDSyzAcK3gNgkPGbvHbheGbiLZ3ajFFc5O5wZdbmZvdgy66eUs3POXSCJmT3waT/Eu7JtuBmfOsysFTwdWsb0R/NEgvweXp5FyIbGCkOAm0OQfzq6mbwdUcDfHgvZU2qZyMVeiGbE5PZbqd9350ncropcOWfphcU03AooBMJX2y1wfLXXS6TmrsSy6Ya4rifu3/8hx4fLuq8156RRvTY5F/Rx2T6QEIG/WeUHJJiKu8RSdsRmUUhSmnTOGckyUSdhDlKhKbVKWyrSRMqWWynGdskDrraZRaGAbpT6ocFOWzE3ODDn2JaATNBjq9JQrIttV9IYhh0U1vFAGi0cXhap8/7ChAjs1EthEDap3E245ANb7uiGBjpuOpF5FwGMJw5zukcjf97tm07ebsMnVw/UmZXebtDBCP9FwcrNDgoUBYY+/OVa5QU4BL10DgQME1k3xEVEyAC+F0Ihcwkjheo7UgCP9AwwASB2RrG3ChBnzCJoc/RBmMFjQCi5mESKfWeTm01hUVFZezCKMYWbR609jkbvFDqhxOa/Wz7xa8Wm8CsIm/qdY1IsU/edJkfuEnOeEYlN926i2Vc5HeWVrx6804+YqSKWvEJYtkzE2LNKQiwUP9zTbhuSfZhuKcM/LWWQLi/rzWJTkaS9mES598amfx6L4GItGLiy6T1O0oAh2uRT/JJ9KgRfB9baKOD+kDIEgtlcBthO+VgLX5XIeOQ/5MSqHUQvUdnEiAkzAAgJAaoLkAtAtgqkBLJawsiUREUDVkGNTnAWWlmAxoGDIYNeJiMNoGs4N8JKUmsBxIIenRsbMkL4Dfkh5yHxK8BaXEnnTOlv6jUyiikn0AOktPFrUKK/xyL3yloA8ypX7ISGWu/i1w4FFhgccMnU8VEITUfBolVIs4Ch6hlreryuPg97qhrnnCYEKJXQoTyxTSgmPnPDK8+dShlCfE92l13tvzrlImNgjDhPp0BmTco66jqBSBuAzz2+RmqR0FbWemmUwN1DY5SxVao6KjZJToZNNMFRrCaJlyvvckMBazwmiCkz2x4xSyVzQhaW1HvsmwismzyWEXDszZCWK06QUnPyl6bXTSU3HhgEcnD9xVKLU0NZnDiVKxjQrYyhcqQuAtHN6isOiUh8DvacGoLVlBhzZLIRPIGNWolEuy/PYAESXZPb8mTucqe6VV2nUO5a0j93dfdXjaJlmF1BCWohEZE+zCkDhqdR42dAMZ6bEmFU40KIGNn1eoteoWekNSvu8VuNEbiz0uLNACqgPI6TgrLHQwV6yVOvi0sE43RJSkurBpIs09ZuPxd6pw2urn8e+IxhAbcMtHZfmCW2qod5+LBNSvzOdvBz4Bj/ouMLld3F/N93PNoGiMAnYwHUmUQE9efmAL816OHY7vtESiEwWGE7fU8MDrVnR0LDzpLLVGJk3IjDgXDdqZ6wg6LfqCbyj8+TsBOkw/XSMiZ7HQ3Jq5sPnApF4PABqaLs6oStpyK5r8Q0j6Hj3DyGGI2rHgfxYgoTg1HF8crw2sCW4SMKj02EQDn3waT5wX/FNbzYdClSqKPmGTCKVrFOqfunbVK6+zwBS7vfOmq+waFg+Snpg9vAjANad/MOk8NfVz/85+5M3yF9XAWyLyzncS4QBBE8CiVc7FxAxdi7wX4VDrF+5b/8kl/QXkzgdzvQPMV2zkwp4OOHOy1kURYvnP5SAwvPNFwEhxPf/PT7tpu6w6zKAACCPlcDw6gDHSsgdsMD1KcgZsR8M7fe7bxu63ldugEeC3rjph80Yvi0Omu5S4v7eHU2y76fNAy7v7eku0XIZ01oklbVtdfDOoYbRrG6YbltRVzHEIEKLv3gMrmZe8lobV2lWOZiebvBDOEKGQhHgALO2vqGjiaYKTNRRBIRMx6tGiTpUQdrWmdY2ztYNDmKRPSIjDCFqOnZFmkjAdL56iVllyxvRyBYXFJzAgUZsDS4qhWBNmwEWLwOYVY10NWIXd5XHHbaqDiFoDX4Tis8b5Pu6qmqrg2pRxgncMkB6jSzMV1S9L2gOgTmE5RCU8wzJQd5pdSulck0NwVS+rUkSHPcI28gcTRSR/BuMtarRmK11bRNxRUKHGiIKiZdaVSqiUjCVbDQOZZzT1qCwbGxTR5BHF6Mr5eo2mqoKGkc+rm582whrAyIzi0QFsmVtW7tYiUo3cAiOBcujlBUgbaTr6MJZlLFuBbTQ6qqpA7Sn8J9qTSg6XXiDHpFsMbAkNHxLqBpco9AtroapNrhIcmGyrpxD1hSDbhXWxCuoHZfFjBeM09VJF4WraqUibkPqSvAga+0jFNrWuq5a0iZ3TWhxwN5AcVgcVoeFS5QEsWlaKI6oVCZwMF+bBrcQoca25jYaLllTxYoTFd02hkHXJuoIQqbCV0yjalPXvGkCuoAWUnARIAmtXe1DaFFqRR10Da3i/iKoBAY78dzXKJCaiLO0tqpBCRllDaNtsCn+C/kiy74=", "window": {"after": {"tokens": 0, "messages": 0, "characters": 0}, "before": {"tokens": 0, "messages": 0, "characters": 0}, "bounds": {"tokens": 1000000000, "messages": 40, "characters": 80000}, "repairs": {}}, "timings": {"record": 0.553, "assemble": 2.066, "pre_turn": 18.87, "retrieve": 14.512}, "channels": ["dense", "lexical"], "excerpts": {}, "sections": {"total": 6000, "budgets": {"fact": 1500, "episode": 500, "decision": 1000, "procedure": 500}, "reasons": []}}', '2026-11-23 21:55:38.156505+00', '2026-11-23 21:55:38.148967+00', false, '{track}', '{research}', NULL, '{"types": {"fact": {"found": 2, "deduped": 0, "trimmed": 0}, "episode": {"found": 13, "deduped": 0, "trimmed": 0}, "decision": {"found": 2, "deduped": 0, "trimmed": 0}}, "stages": {"record": 0.553, "assemble": 2.066, "retrieve": 14.512}, "elapsed": 18.87, "abstained": false, "tools_cut": 0}', 'My parcel with the barometer was sent to the harbour, you said.', '{}'),
	('desk', 'open', 'tuesday', 'Bob', '2026-09-02 00:00:00+00', 'open', 'Is the accordion ready?', '89bdf54c89b2', 'question', '{}', 'chaos/words', '[0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.5,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.5,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.5,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.5,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534,0.00049972534]', '{"now": "2026-09-02T00:00:00+00:00", "plan": {"hint": null, "model": null, "tools": 0, "total": 6000, "memory": null, "reasons": ["question.mark", "question.starter", "signal.question"], "removed": [], "thinking": "low", "categories": [], "max_memories": null}, "query": "Is the accordion ready?", "decoys": ["4ff489e3-7c81-5016-a345-365703eed0e9", "af03f1d2-d3f5-5182-838e-f6553aa76fe9", "283fb564-d480-5073-991c-b34f1ce4b831", "18daf992-d53a-5b44-8c59-83036eddfd38", "5fd60a50-6e5e-53a6-b613-43a4c6cc1dda"], "policy": "89bdf54c89b2", "record": "eF7tW0tvI7kR/iuCTgnSdvh+eA855743Y2Gw2Wy7YUntqOXZMQb57/mK7G5LtmTLM7POBgg8Y1F8FItVxeJXRfrbsu236+WVqpZtiLthefVtOXS3m7DKxV36ulteLf85LHZ3aRFi7LdN128W2xSap38sq+W/HtOwQ83yard9TNXydpvSrtvcLq9akEBFWq26h10X54ptimkTn5ZX7JJVyybsEmbaPK5W1fKu2xAH179h2GbX7Tpqom/36el3zEzfljMTmD2zsUSHttumhlonfi7XYXu/x9/lsAvbXdpS51UHlonFadZh12/BUOb43yC2DeuEVc9ryxMN/SbP/+4M1SjAy3k85txhbfd50uWq/x2MbfD7aimYMBfMXzDxK2NX+d/f8m/0WPdNWqFPvAv98Pey/moZbiGamw6LXTZpoCXuHrebUtE/pA11WWW53HSbm4dtv36ABkmIsX/ckASulqSyNQR/IUiGfQ/9F1FEVN7221nuEWvehayUZQjSGe5bLWzEsLZbgVgW+m8kMxBH+duya1r6eNbSFb/UiimlmWJeWa6cK4rrllfy0kprjDfcCSelcQqkhjQMsCgs6TUlwaS3wjElhfbS8JmSuJRMaKeZF95jOgNCD2EYIC4wL2BpdRig1G/ZzLOV3/W/w2zR8jjQMlAIZOuzSvivgr9QSZNi/0T0Lr3W3EhnpfbWem1gybntZiSG6dNDN0CFe3OpS2+swDADITjpmJ4mx0LOntxgcua8tt5KiMEemRq8dCTDvbn5pbdcS+4Vx4dh2n/Pwtmld9KAihRKKQ4aL5ZdxE4WB+cxGyaVLiyZ5nsSjv3QbSAzdmmYtM5LWS3HrZ/9xag1UF+nNXZtNnw4ryL24oO2aZW+hE1MN7fhISt2C7tG87jBD8aCfhk7+quXgy+50kJadHuDCNT/DhGmhbCWo+MbZDh0+TYdKZnFLsGCD8iQg+n71XATw2pVHOFuG+L9ElvzlR7It7zUA1cvLP1ZD0oq4Tws/QxFvCfMH2GbH2Nbn2RbOieU4RYmesx+PiQxeWxqe3pq64URbH9mbjTnkmts+KMWPG/GU1bIHDybseptA4JnfdN+fkT+dFa8MhtzWghSWQ3HuG823FmrtfZYxCSFD+nBHPMgL4/NZ8vlnpHELHbVD5uAOrZ6d3L13DotpZLQ9w9PrY9N7f+Aqekcv+sKBtzzrtes4pWoZKUqXZnKVq7yFUclr7iouKy4qriu4Nvgv7iruIdSCScCRMITseqsH4wZgC7ptP4GqAKkApgz6fKaXQqmrVJG+mouC0VlobHVtMr1pSypHnbmmNTSojwaghdUz5hzXHmJMmOCwbFRd8lhmkwojTLhFOmU56XeWC+x70DGOslk7gLdjtadq0nXRJzDNxtTiEvrufDcEpVncyAGOGOeKWLMCsGV5BAg+sNFGDhakt60/notNESYwRlglDacM+1UlStO/kJPwS0o0xgPiTCGk5pfEujAyQ1d0VH6No25dY8bQMZ4l0+XiaER1/H3GZp7PqNBmM+MDN+jcMjsxNPX3c0fytN38LfH2my8JyVNpsZhUGbUKCwYHhNWC9XlQehgmJCGzH6skFwxw8VkBHkzOFgstDr1EA41BoY30YA9ewn0N1Vo4cjyjKVNN6LtfVM7wzQgGgPnip2F/X9G+QyS1IVc0MM2fen6xyFDu2Jqx34Vb5RbRodUrPLQJZU6h4VuEMqeJlk8W+49Obcy9NC9lbqiDNB8pPjiZjrLaFdN/4/AbT42739O5f2hh2RmkvN05YSHS3yejcrvkTo1xVhPB3G3TsPzarLfhjTxu/yn3/s/+fs8bmJr7PKy84tDYF4NQYqXSn4zBnsjPitB7Ec68Jcobm/wy7YzTPjduUe7QZySY6TlXY9PnLrHPnZhlcP7z/mAQu66pkmbmxca2V8Tl4ew4wyRfLjLMyMl6XJgHsvh8SFtsQGwBc49wT7UD7Nv08MqxNTc1MgJ7Zmm/BChczuTx2s6ZCly5ktJ+Gn4clMBmWhkMpR1lfAIwBC3V8ZrxDQIAyqABeYBIiR2KAEIz5UQFQI15+GUGYEwp7jiAh28dF4oZCsqScG75Ui5VMJoY52yXqHogTsYSFYAzMA7DmEK4nsAH4AgXVnGEXzQ8YGUBZCWYAzNwPZCMfL+SCZIb5SwFRIwmIIpBxyogaG4YeR5H7rNJrusa15hfYZrhNTiNzp8unW3CttuR5K+dtP5NIKTa3S5nk/C/Uqgz/Fs268dT4MZ3OTx88F5MP547XgAHBIAon01F53yYdN0Y/byEC5D+IDKYNHgKAESpPOCsNiMj+FJNRwrIDOkJyo6hb8HLu+eHpAouZ7zTCWDC48xJZ7eK81Zog+PfHuGPbrnsQIBNN3wgNRPSSVfj+HhbDpTvHj6s9uOiRsSwMGX/kva3qxgaK9aTndrHh9WHSVDXxI7GLLviw7nPM3NXgtW/SWsHkmHwHkccQGFBNIjPijxAIAffSL9VFrgHHRuAdozFG4wIwDzqaCRnqHOSHx6GCwVkCeFbaHoDL7kOuQLkXxFOIJ9y3JEo6VAGEdNyE/kPhoZxRwgIMUnc5PkQqvsF0d3jNzT5n5B+Ri6FABca7uvCwJBwyILOTdTziQXKHLOBYpjc4HC+DohDZ4vFXZ3CPru+lWz6NtFWJTA82qRgf0ir3HRDVRQarECWMWAsMF3jhUsgBRxZMV0uUayu9ulNeBL2CY0ayJH9Gu41pma4OwXMLmg1HAaFmGHGcsImhz9cBBjsPAfYlHbiUX/eSxSOnXzuK7TdmGIewTuC3IJv8zrKCJA1WLchgtaaEGrH9GAMuPyDPu85VG66XwjUX5kEar4NCMhEx81YL9HAwG2ucMlymI+SxZDeCpXbQOuoBZ/CXSdtkYmBDbpzF8/JBIrR5FI+WkikbTZz9Ya3NDIIjOfxqKifTNBvEX9tFBtq5xP8sJGxy/ghc1FQEx+ATxkmUypYelj3sDqSfD801YlybmeLXg4+Wm7fKJP/RiLfjJf/nnmqz5kvjgYRylC45/ldLiiG2w6Rm/qhKt7Qg9TdpYyGPuZ2ZyWnRKzQKUUFRDmFBS0E4m9sWdmdsvYnKj9ftgicZQjmiEgQ78FAgxclqCA7K2g1CkiDOAYwide4p4zJ1CRGSPsg3wqwp2cagWWoc4zhuEatz0Z3ggELIRhcNMpdO7DFAKejGHGq8GReyM1jdgDXRwZ3kPUBSRFvEikXhHuENcIds5kH0noPERpj6DsGPsztdfsI3jTZR0T+wTw+21Oka/SVyDUnGAHerOOZUCYr6KncAWRlpi/IOd9bkj6dj9IcZwb6Xmk6emBCPFASXiS3FiYmCjVR769nRg4pHOqb85frvFAgd6XEBMaqU1SFnKoGc3ivr3gY7xayPjY0SV4lhQXOWWP2JW73DQOgUnkSwYmkCrPXaF5xMZlcKYCQGwKFTSJ3GRwq5VnfCZHVwoHwzVuJHMfwG8j93g/FCQu9bPWmSiZetxjuALEce+eKSIiKLwrBOalK5jOwp/GwPDzGDBciGGReSfBlHA9mSWgFRLPRFfgWiAXKP1wQA4J3rxTiW7hAaFEERueIPDn/HERP3ZwET8zEtHHpPVSffht7nTY+5imZ8KzFT1TP+yf07zd7V3d45lLZkgKPBKh5RuPTAoVEEQV9c5NymWvg0sSJXLTc+dplEB8lGXF4bqKPLGhC0HGSwjFofqRjii2gLlKnDYTRLRV7JCDYtktZty6RJDCLDxlGnY3lOXKoTCp22Yiex+TIKhqv3y68wm5zgReyRHp3O0NvdsYPUyJDu2pj9nnPHd4p+p5xpHu0Yq966dV2tzu7go7Rvh8QCASzlKkwyAXtHVFh4abonlcBOZ4euo6jTDjxnju6JFxOxgBp12MBvd7JqsNV4RlU45UZuK4wylhs3Z44lPGIG1H2b26p+wuPYgp7pset9BFIh4qOdwQ4mSDtczPkU4/06HnL+VtTb7kX3SIgins4AtSU46Ldzm6ozaKw4cHPANqu5jTa3Q9gJdvLYaDOXoWMnGTW6bXUFQenzDtzfcRYgI+x+EUlTiEDV2o7i3NWePhh3BFay0OrHkmPC85bHixTn56nRXJYWwf04lFHh/h+ScKAJe68JDceWPostXS+6xZuK/W+VrUZ6g2L3lU/Xcu+c9lgZCZ9khdAxgybB/knmeZ4R5NWZxYCjsNyG9+4AIbPr4bxNHd8BNE9pO3yU80uT8vZ/8bm+HPK7//czadeP8lb/7jCqD78f4+5bfjlE+vgNNxKYd3rQLQ4vQPhVk4ysdn7Vj+u//Wj6tdh3sLHP9Ia9FDowoJxhhwolDKu9+snhZhuB8qvN5vUTks+u2UcCTk0K8TvVK/paTGpt8t7vFEnRLF5d871DHm4DrkrEHfzxLhqvFvE7ivkxUMz9MbYD8e62hdg58a8CsgFcBVCK30DR5mtUga1LFtRB0B9SLGeBfAabnCAK5y3LW+oUvQpg5MxCQCAJ3jdaNEDHWQtnWmtY2zscGRJRHrKhlCwvULUBzeauHuafwrhZbJljeikS0OLnrd7lJrtEZva9qSUfQyaBZVI13Ei2wOjoGK6hhC0DoFhy5t4I1EpFBjUTqo1lst6H0ZsCueddWUgJ7Sl5S9pOQl5S5fpC4Rq1jd4omaa6Ju29q3EaFt5HiH3iZEMaCSAHQNxlrVaMzWurZJeECmQ9SNDpmXqGqVNDOmlg2iS5zX2gKG28Y2MYE8uhhdKxfbZOo64AmSdbHxkLa1AVibJaKiA8NiPfeRe90kXD23dTQ42Y2JkDxu9ZcQP2vb6FItat3gMtuxYHmSsgZmRKoDXThLMsUWsZ1tdd3E0PKk8J8eU6lo8wtnHjWiFQauBZ7L81A3Wjnd4v29aoOjmz3FZKyRRPIiBd0qLJvXrMZjPm3wao7TXzm4JFwdlYKFKV0LHmTUPkHnbdSxbknh3DWh9V400C3WDwFANoD3JjVNC90SldoEDuajaQB9oek2cpuwatbUqeZERbeNYTAHk3QCIVOjFdOoaGLkTUNWClp4RScCJIG0UvTZrF3SQUcoHn9oACo8yja0dS0STMgrSFCZlsGC8CCQe6ICS2xrRCsNcgcaN4LeY8tICC8mVTvJ8WT8P+N84Jo=", "window": {"after": {"tokens": 0, "messages": 0, "characters": 0}, "before": {"tokens": 0, "messages": 0, "characters": 0}, "bounds": {"tokens": 1000000000, "messages": 40, "characters": 80000}, "repairs": {}}, "timings": {"record": 0.675, "assemble": 6.655, "pre_turn": 18.556, "retrieve": 9.78}, "channels": ["dense", "lexical"], "excerpts": {}, "sections": {"total": 6000, "budgets": {"fact": 1500, "episode": 500, "decision": 1000, "procedure": 500}, "reasons": []}}', NULL, '2026-11-23 21:55:38.212202+00', false, '{}', '{}', NULL, '{"types": {"fact": {"found": 2, "deduped": 0, "trimmed": 0}, "episode": {"found": 16, "deduped": 1, "trimmed": 2}, "decision": {"found": 2, "deduped": 0, "trimmed": 0}}, "stages": {"record": 0.675, "assemble": 6.655, "retrieve": 9.78}, "elapsed": 18.556, "abstained": false, "tools_cut": 0}', NULL, '{}');
INSERT INTO cognitive.usage VALUES
	('desk', '0610ffc8-eb2b-5d10-880a-71e33b702077', 1, 0, 1, 0, '2026-09-01 17:00:00+00'),
	('desk', '5a0c5391-9c19-5de6-96fb-c613166c9d0d', 1, 0, 1, 0, '2026-09-01 17:00:00+00'),
	('desk', '01975f33-48dc-5ffb-9fc9-31c1386fe088', 1, 1, 1, 1, '2026-09-01 21:00:00+00'),
	('desk', '4ff489e3-7c81-5016-a345-365703eed0e9', 1.9715319411536059, 0, 2, 0, '2026-09-01 21:00:00+00'),
	('desk', 'c4b4e506-6b3d-5259-8857-6297d7dce5f3', 1, 0, 1, 0, '2026-09-01 21:00:00+00'),
	('desk', 'd384042a-e335-58c9-aaf3-98e5a5c501de', 1, 0, 1, 0, '2026-09-01 21:00:00+00');
INSERT INTO cognitive.usage_base VALUES
	('desk', 'decision', 1.9715319411536059, 0, '2026-09-01 21:00:00+00', 0.98363193244419, 0),
	('desk', 'episode', 4.9672638648883805, 1, '2026-09-01 21:00:00+00', 6.95089579733257, 0),
	('desk', 'fact', 0, 0, '2026-09-01 21:00:00+00', 2.9551638735977956, 0);
