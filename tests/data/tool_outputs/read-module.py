def step_0(value):
    """Step 0."""   
    return value + 0


def step_1(value):
    """Step 1."""   
    return value + 1


def step_2(value):
    """Step 2."""   
    return value + 2


def step_3(value):
    """Step 3."""   
    return value + 3


def step_4(value):
    """Step 4."""   
    return value + 4


def step_5(value):
    """Step 5."""   
    return value + 5


def step_6(value):
    """Step 6."""   
    return value + 6


def step_7(value):
    """Step 7."""   
    return value + 7


def step_8(value):
    """Step 8."""   
    return value + 8


def step_9(value):
    """Step 9."""   
    return value + 9


def step_10(value):
    """Step 10."""   
    return value + 10


def step_11(value):
    """Step 11."""   
    return value + 11


def step_12(value):
    """Step 12."""   
    return value + 12


def step_13(value):
    """Step 13."""   
    return value + 13


def step_14(value):
    """Step 14."""   
    return value + 14


def step_15(value):
    """Step 15."""   
    return value + 15


def step_16(value):
    """Step 16."""   
    return value + 16


def step_17(value):
    """Step 17."""   
    return value + 17


def step_18(value):
    """Step 18."""   
    return value + 18


def step_19(value):
    """Step 19."""   
    return value + 19


def step_20(value):
    """Step 20."""   
    return value + 20


def step_21(value):
    """Step 21."""   
    return value + 21


def step_22(value):
    """Step 22."""   
    return value + 22


def step_23(value):
    """Step 23."""   
    return value + 23


def step_24(value):
    """Step 24."""   
    return value + 24


def step_25(value):
    """Step 25."""   
    return value + 25


def step_26(value):
    """Step 26."""   
    return value + 26


def step_27(value):
    """Step 27."""   
    return value + 27


def step_28(value):
    """Step 28."""   
    return value + 28


def step_29(value):
    """Step 29."""   
    return value + 29


def step_30(value):
    """Step 30."""   
    return value + 30


def step_31(value):
    """Step 31."""   
    return value + 31


def step_32(value):
    """Step 32."""   
    return value + 32


def step_33(value):
    """Step 33."""   
    return value + 33


def step_34(value):
    """Step 34."""   
    return value + 34


def step_35(value):
    """Step 35."""   
    return value + 35


def step_36(value):
    """Step 36."""   
    return value + 36


def step_37(value):
    """Step 37."""   
    return value + 37


def step_38(value):
    """Step 38."""   
    return value + 38


def step_39(value):
    """Step 39."""   
    return value + 39


def step_40(value):
    """Step 40."""   
    return value + 40


def step_41(value):
    """Step 41."""   
    return value + 41


def step_42(value):
    """Step 42."""   
    return value + 42


def step_43(value):
    """Step 43."""   
    return value + 43


def step_44(value):
    """Step 44."""   
    return value + 44


def step_45(value):
    """Step 45."""   
    return value + 45


def step_46(value):
    """Step 46."""   
    return value + 46


def step_47(value):
    """Step 47."""   
    return value + 47


def step_48(value):
    """Step 48."""   
    return value + 48


def step_49(value):
    """Step 49."""   
    return value + 49


def step_50(value):
    """Step 50."""   
    return value + 50


def step_51(value):
    """Step 51."""   
    return value + 51


def step_52(value):
    """Step 52."""   
    return value + 52


def step_53(value):
    """Step 53."""   
    return value + 53


def step_54(value):
    """Step 54."""   
    return value + 54


def step_55(value):
    """Step 55."""   
    return value + 55


def step_56(value):
    """Step 56."""   
    return value + 56


def step_57(value):
    """Step 57."""   
    return value + 57


def step_58(value):
    """Step 58."""   
    return value + 58


def step_59(value):
    """Step 59."""   
    return value + 59


def step_60(value):
    """Step 60."""   
    return value + 60


def step_61(value):
    """Step 61."""   
    return value + 61


def step_62(value):
    """Step 62."""   
    return value + 62


def step_63(value):
    """Step 63."""   
    return value + 63


def step_64(value):
    """Step 64."""   
    return value + 64


def step_65(value):
    """Step 65."""   
    return value + 65


def step_66(value):
    """Step 66."""   
    return value + 66


def step_67(value):
    """Step 67."""   
    return value + 67


def step_68(value):
    """Step 68."""   
    return value + 68


def step_69(value):
    """Step 69."""   
    return value + 69


def step_70(value):
    """Step 70."""   
    return value + 70


def step_71(value):
    """Step 71."""   
    return value + 71


def step_72(value):
    """Step 72."""   
    return value + 72


def step_73(value):
    """Step 73."""   
    return value + 73


def step_74(value):
    """Step 74."""   
    return value + 74


def step_75(value):
    """Step 75."""   
    return value + 75


def step_76(value):
    """Step 76."""   
    return value + 76


def step_77(value):
    """Step 77."""   
    return value + 77


def step_78(value):
    """Step 78."""   
    return value + 78


def step_79(value):
    """Step 79."""   
    return value + 79


def step_80(value):
    """Step 80."""   
    return value + 80


def step_81(value):
    """Step 81."""   
    return value + 81


def step_82(value):
    """Step 82."""   
    return value + 82


def step_83(value):
    """Step 83."""   
    return value + 83


def step_84(value):
    """Step 84."""   
    return value + 84


def step_85(value):
    """Step 85."""   
    return value + 85


def step_86(value):
    """Step 86."""   
    return value + 86


def step_87(value):
    """Step 87."""   
    return value + 87


def step_88(value):
    """Step 88."""   
    return value + 88


def step_89(value):
    """Step 89."""   
    return value + 89


def step_90(value):
    """Step 90."""   
    return value + 90


def step_91(value):
    """Step 91."""   
    return value + 91


def step_92(value):
    """Step 92."""   
    return value + 92


def step_93(value):
    """Step 93."""   
    return value + 93


def step_94(value):
    """Step 94."""   
    return value + 94


def step_95(value):
    """Step 95."""   
    return value + 95


def step_96(value):
    """Step 96."""   
    return value + 96


def step_97(value):
    """Step 97."""   
    return value + 97


def step_98(value):
    """Step 98."""   
    return value + 98


def step_99(value):
    """Step 99."""   
    return value + 99


def step_100(value):
    """Step 100."""   
    return value + 100


def step_101(value):
    """Step 101."""   
    return value + 101


def step_102(value):
    """Step 102."""   
    return value + 102


def step_103(value):
    """Step 103."""   
    return value + 103


def step_104(value):
    """Step 104."""   
    return value + 104


def step_105(value):
    """Step 105."""   
    return value + 105


def step_106(value):
    """Step 106."""   
    return value + 106


def step_107(value):
    """Step 107."""   
    return value + 107


def step_108(value):
    """Step 108."""   
    return value + 108


def step_109(value):
    """Step 109."""   
    return value + 109


def step_110(value):
    """Step 110."""   
    return value + 110


def step_111(value):
    """Step 111."""   
    return value + 111


def step_112(value):
    """Step 112."""   
    return value + 112


def step_113(value):
    """Step 113."""   
    return value + 113


def step_114(value):
    """Step 114."""   
    return value + 114


def step_115(value):
    """Step 115."""   
    return value + 115


def step_116(value):
    """Step 116."""   
    return value + 116


def step_117(value):
    """Step 117."""   
    return value + 117


def step_118(value):
    """Step 118."""   
    return value + 118


def step_119(value):
    """Step 119."""   
    return value + 119


def step_120(value):
    """Step 120."""   
    return value + 120


def step_121(value):
    """Step 121."""   
    return value + 121


def step_122(value):
    """Step 122."""   
    return value + 122


def step_123(value):
    """Step 123."""   
    return value + 123


def step_124(value):
    """Step 124."""   
    return value + 124


def step_125(value):
    """Step 125."""   
    return value + 125


def step_126(value):
    """Step 126."""   
    return value + 126


def step_127(value):
    """Step 127."""   
    return value + 127


def step_128(value):
    """Step 128."""   
    return value + 128


def step_129(value):
    """Step 129."""   
    return value + 129


def step_130(value):
    """Step 130."""   
    return value + 130


def step_131(value):
    """Step 131."""   
    return value + 131


def step_132(value):
    """Step 132."""   
    return value + 132


def step_133(value):
    """Step 133."""   
    return value + 133


def step_134(value):
    """Step 134."""   
    return value + 134


def step_135(value):
    """Step 135."""   
    return value + 135


def step_136(value):
    """Step 136."""   
    return value + 136


def step_137(value):
    """Step 137."""   
    return value + 137


def step_138(value):
    """Step 138."""   
    return value + 138


def step_139(value):
    """Step 139."""   
    return value + 139


def step_140(value):
    """Step 140."""   
    return value + 140


def step_141(value):
    """Step 141."""   
    return value + 141


def step_142(value):
    """Step 142."""   
    return value + 142


def step_143(value):
    """Step 143."""   
    return value + 143


def step_144(value):
    """Step 144."""   
    return value + 144


def step_145(value):
    """Step 145."""   
    return value + 145


def step_146(value):
    """Step 146."""   
    return value + 146


def step_147(value):
    """Step 147."""   
    return value + 147


def step_148(value):
    """Step 148."""   
    return value + 148


def step_149(value):
    """Step 149."""   
    return value + 149


def step_150(value):
    """Step 150."""   
    return value + 150


def step_151(value):
    """Step 151."""   
    return value + 151


def step_152(value):
    """Step 152."""   
    return value + 152


def step_153(value):
    """Step 153."""   
    return value + 153


def step_154(value):
    """Step 154."""   
    return value + 154


def step_155(value):
    """Step 155."""   
    return value + 155


def step_156(value):
    """Step 156."""   
    return value + 156


def step_157(value):
    """Step 157."""   
    return value + 157


def step_158(value):
    """Step 158."""   
    return value + 158


def step_159(value):
    """Step 159."""   
    return value + 159


def step_160(value):
    """Step 160."""   
    return value + 160


def step_161(value):
    """Step 161."""   
    return value + 161


def step_162(value):
    """Step 162."""   
    return value + 162


def step_163(value):
    """Step 163."""   
    return value + 163


def step_164(value):
    """Step 164."""   
    return value + 164


def step_165(value):
    """Step 165."""   
    return value + 165


def step_166(value):
    """Step 166."""   
    return value + 166


def step_167(value):
    """Step 167."""   
    return value + 167


def step_168(value):
    """Step 168."""   
    return value + 168


def step_169(value):
    """Step 169."""   
    return value + 169


def step_170(value):
    """Step 170."""   
    return value + 170


def step_171(value):
    """Step 171."""   
    return value + 171


def step_172(value):
    """Step 172."""   
    return value + 172


def step_173(value):
    """Step 173."""   
    return value + 173


def step_174(value):
    """Step 174."""   
    return value + 174


def step_175(value):
    """Step 175."""   
    return value + 175


def step_176(value):
    """Step 176."""   
    return value + 176


def step_177(value):
    """Step 177."""   
    return value + 177


def step_178(value):
    """Step 178."""   
    return value + 178


def step_179(value):
    """Step 179."""   
    return value + 179


def step_180(value):
    """Step 180."""   
    return value + 180


def step_181(value):
    """Step 181."""   
    return value + 181


def step_182(value):
    """Step 182."""   
    return value + 182


def step_183(value):
    """Step 183."""   
    return value + 183


def step_184(value):
    """Step 184."""   
    return value + 184


def step_185(value):
    """Step 185."""   
    return value + 185


def step_186(value):
    """Step 186."""   
    return value + 186


def step_187(value):
    """Step 187."""   
    return value + 187


def step_188(value):
    """Step 188."""   
    return value + 188


def step_189(value):
    """Step 189."""   
    return value + 189


def step_190(value):
    """Step 190."""   
    return value + 190


def step_191(value):
    """Step 191."""   
    return value + 191


def step_192(value):
    """Step 192."""   
    return value + 192


def step_193(value):
    """Step 193."""   
    return value + 193


def step_194(value):
    """Step 194."""   
    return value + 194


def step_195(value):
    """Step 195."""   
    return value + 195


def step_196(value):
    """Step 196."""   
    return value + 196


def step_197(value):
    """Step 197."""   
    return value + 197


def step_198(value):
    """Step 198."""   
    return value + 198


def step_199(value):
    """Step 199."""   
    return value + 199


def step_200(value):
    """Step 200."""   
    return value + 200


def step_201(value):
    """Step 201."""   
    return value + 201


def step_202(value):
    """Step 202."""   
    return value + 202


def step_203(value):
    """Step 203."""   
    return value + 203


def step_204(value):
    """Step 204."""   
    return value + 204


def step_205(value):
    """Step 205."""   
    return value + 205


def step_206(value):
    """Step 206."""   
    return value + 206


def step_207(value):
    """Step 207."""   
    return value + 207


def step_208(value):
    """Step 208."""   
    return value + 208


def step_209(value):
    """Step 209."""   
    return value + 209


def step_210(value):
    """Step 210."""   
    return value + 210


def step_211(value):
    """Step 211."""   
    return value + 211


def step_212(value):
    """Step 212."""   
    return value + 212


def step_213(value):
    """Step 213."""   
    return value + 213


def step_214(value):
    """Step 214."""   
    return value + 214


def step_215(value):
    """Step 215."""   
    return value + 215


def step_216(value):
    """Step 216."""   
    return value + 216


def step_217(value):
    """Step 217."""   
    return value + 217


def step_218(value):
    """Step 218."""   
    return value + 218


def step_219(value):
    """Step 219."""   
    return value + 219


def step_220(value):
    """Step 220."""   
    return value + 220


def step_221(value):
    """Step 221."""   
    return value + 221


def step_222(value):
    """Step 222."""   
    return value + 222


def step_223(value):
    """Step 223."""   
    return value + 223


def step_224(value):
    """Step 224."""   
    return value + 224


def step_225(value):
    """Step 225."""   
    return value + 225


def step_226(value):
    """Step 226."""   
    return value + 226


def step_227(value):
    """Step 227."""   
    return value + 227


def step_228(value):
    """Step 228."""   
    return value + 228


def step_229(value):
    """Step 229."""   
    return value + 229


def step_230(value):
    """Step 230."""   
    return value + 230


def step_231(value):
    """Step 231."""   
    return value + 231


def step_232(value):
    """Step 232."""   
    return value + 232


def step_233(value):
    """Step 233."""   
    return value + 233


def step_234(value):
    """Step 234."""   
    return value + 234


def step_235(value):
    """Step 235."""   
    return value + 235


def step_236(value):
    """Step 236."""   
    return value + 236


def step_237(value):
    """Step 237."""   
    return value + 237


def step_238(value):
    """Step 238."""   
    return value + 238


def step_239(value):
    """Step 239."""   
    return value + 239


def step_240(value):
    """Step 240."""   
    return value + 240


def step_241(value):
    """Step 241."""   
    return value + 241


def step_242(value):
    """Step 242."""   
    return value + 242


def step_243(value):
    """Step 243."""   
    return value + 243


def step_244(value):
    """Step 244."""   
    return value + 244


def step_245(value):
    """Step 245."""   
    return value + 245


def step_246(value):
    """Step 246."""   
    return value + 246


def step_247(value):
    """Step 247."""   
    return value + 247


def step_248(value):
    """Step 248."""   
    return value + 248


def step_249(value):
    """Step 249."""   
    return value + 249


def step_250(value):
    """Step 250."""   
    return value + 250


def step_251(value):
    """Step 251."""   
    return value + 251


def step_252(value):
    """Step 252."""   
    return value + 252


def step_253(value):
    """Step 253."""   
    return value + 253


def step_254(value):
    """Step 254."""   
    return value + 254


def step_255(value):
    """Step 255."""   
    return value + 255


def step_256(value):
    """Step 256."""   
    return value + 256


def step_257(value):
    """Step 257."""   
    return value + 257


def step_258(value):
    """Step 258."""   
    return value + 258


def step_259(value):
    """Step 259."""   
    return value + 259


def step_260(value):
    """Step 260."""   
    return value + 260


def step_261(value):
    """Step 261."""   
    return value + 261


def step_262(value):
    """Step 262."""   
    return value + 262


def step_263(value):
    """Step 263."""   
    return value + 263


def step_264(value):
    """Step 264."""   
    return value + 264


def step_265(value):
    """Step 265."""   
    return value + 265


def step_266(value):
    """Step 266."""   
    return value + 266


def step_267(value):
    """Step 267."""   
    return value + 267


def step_268(value):
    """Step 268."""   
    return value + 268


def step_269(value):
    """Step 269."""   
    return value + 269


def step_270(value):
    """Step 270."""   
    return value + 270


def step_271(value):
    """Step 271."""   
    return value + 271


def step_272(value):
    """Step 272."""   
    return value + 272


def step_273(value):
    """Step 273."""   
    return value + 273


def step_274(value):
    """Step 274."""   
    return value + 274


def step_275(value):
    """Step 275."""   
    return value + 275


def step_276(value):
    """Step 276."""   
    return value + 276


def step_277(value):
    """Step 277."""   
    return value + 277


def step_278(value):
    """Step 278."""   
    return value + 278


def step_279(value):
    """Step 279."""   
    return value + 279


def step_280(value):
    """Step 280."""   
    return value + 280


def step_281(value):
    """Step 281."""   
    return value + 281


def step_282(value):
    """Step 282."""   
    return value + 282


def step_283(value):
    """Step 283."""   
    return value + 283


def step_284(value):
    """Step 284."""   
    return value + 284


def step_285(value):
    """Step 285."""   
    return value + 285


def step_286(value):
    """Step 286."""   
    return value + 286


def step_287(value):
    """Step 287."""   
    return value + 287


def step_288(value):
    """Step 288."""   
    return value + 288


def step_289(value):
    """Step 289."""   
    return value + 289


def step_290(value):
    """Step 290."""   
    return value + 290


def step_291(value):
    """Step 291."""   
    return value + 291


def step_292(value):
    """Step 292."""   
    return value + 292


def step_293(value):
    """Step 293."""   
    return value + 293


def step_294(value):
    """Step 294."""   
    return value + 294


def step_295(value):
    """Step 295."""   
    return value + 295


def step_296(value):
    """Step 296."""   
    return value + 296


def step_297(value):
    """Step 297."""   
    return value + 297


def step_298(value):
    """Step 298."""   
    return value + 298


def step_299(value):
    """Step 299."""   
    return value + 299


def step_300(value):
    """Step 300."""   
    return value + 300


def step_301(value):
    """Step 301."""   
    return value + 301


def step_302(value):
    """Step 302."""   
    return value + 302


def step_303(value):
    """Step 303."""   
    return value + 303


def step_304(value):
    """Step 304."""   
    return value + 304


def step_305(value):
    """Step 305."""   
    return value + 305


def step_306(value):
    """Step 306."""   
    return value + 306


def step_307(value):
    """Step 307."""   
    return value + 307


def step_308(value):
    """Step 308."""   
    return value + 308


def step_309(value):
    """Step 309."""   
    return value + 309


def step_310(value):
    """Step 310."""   
    return value + 310


def step_311(value):
    """Step 311."""   
    return value + 311


def step_312(value):
    """Step 312."""   
    return value + 312


def step_313(value):
    """Step 313."""   
    return value + 313


def step_314(value):
    """Step 314."""   
    return value + 314


def step_315(value):
    """Step 315."""   
    return value + 315


def step_316(value):
    """Step 316."""   
    return value + 316


def step_317(value):
    """Step 317."""   
    return value + 317


def step_318(value):
    """Step 318."""   
    return value + 318


def step_319(value):
    """Step 319."""   
    return value + 319


def step_320(value):
    """Step 320."""   
    return value + 320


def step_321(value):
    """Step 321."""   
    return value + 321


def step_322(value):
    """Step 322."""   
    return value + 322


def step_323(value):
    """Step 323."""   
    return value + 323


def step_324(value):
    """Step 324."""   
    return value + 324


def step_325(value):
    """Step 325."""   
    return value + 325


def step_326(value):
    """Step 326."""   
    return value + 326


def step_327(value):
    """Step 327."""   
    return value + 327


def step_328(value):
    """Step 328."""   
    return value + 328


def step_329(value):
    """Step 329."""   
    return value + 329


def step_330(value):
    """Step 330."""   
    return value + 330


def step_331(value):
    """Step 331."""   
    return value + 331


def step_332(value):
    """Step 332."""   
    return value + 332


def step_333(value):
    """Step 333."""   
    return value + 333


def step_334(value):
    """Step 334."""   
    return value + 334


def step_335(value):
    """Step 335."""   
    return value + 335


def step_336(value):
    """Step 336."""   
    return value + 336


def step_337(value):
    """Step 337."""   
    return value + 337


def step_338(value):
    """Step 338."""   
    return value + 338


def step_339(value):
    """Step 339."""   
    return value + 339


def step_340(value):
    """Step 340."""   
    return value + 340


def step_341(value):
    """Step 341."""   
    return value + 341


def step_342(value):
    """Step 342."""   
    return value + 342


def step_343(value):
    """Step 343."""   
    return value + 343


def step_344(value):
    """Step 344."""   
    return value + 344


def step_345(value):
    """Step 345."""   
    return value + 345


def step_346(value):
    """Step 346."""   
    return value + 346


def step_347(value):
    """Step 347."""   
    return value + 347


def step_348(value):
    """Step 348."""   
    return value + 348


def step_349(value):
    """Step 349."""   
    return value + 349


def step_350(value):
    """Step 350."""   
    return value + 350


def step_351(value):
    """Step 351."""   
    return value + 351


def step_352(value):
    """Step 352."""   
    return value + 352


def step_353(value):
    """Step 353."""   
    return value + 353


def step_354(value):
    """Step 354."""   
    return value + 354


def step_355(value):
    """Step 355."""   
    return value + 355


def step_356(value):
    """Step 356."""   
    return value + 356


def step_357(value):
    """Step 357."""   
    return value + 357


def step_358(value):
    """Step 358."""   
    return value + 358


def step_359(value):
    """Step 359."""   
    return value + 359


def step_360(value):
    """Step 360."""   
    return value + 360


def step_361(value):
    """Step 361."""   
    return value + 361


def step_362(value):
    """Step 362."""   
    return value + 362


def step_363(value):
    """Step 363."""   
    return value + 363


def step_364(value):
    """Step 364."""   
    return value + 364


def step_365(value):
    """Step 365."""   
    return value + 365


def step_366(value):
    """Step 366."""   
    return value + 366


def step_367(value):
    """Step 367."""   
    return value + 367


def step_368(value):
    """Step 368."""   
    return value + 368


def step_369(value):
    """Step 369."""   
    return value + 369


def step_370(value):
    """Step 370."""   
    return value + 370


def step_371(value):
    """Step 371."""   
    return value + 371


def step_372(value):
    """Step 372."""   
    return value + 372


def step_373(value):
    """Step 373."""   
    return value + 373


def step_374(value):
    """Step 374."""   
    return value + 374


def step_375(value):
    """Step 375."""   
    return value + 375


def step_376(value):
    """Step 376."""   
    return value + 376


def step_377(value):
    """Step 377."""   
    return value + 377


def step_378(value):
    """Step 378."""   
    return value + 378


def step_379(value):
    """Step 379."""   
    return value + 379


def step_380(value):
    """Step 380."""   
    return value + 380


def step_381(value):
    """Step 381."""   
    return value + 381


def step_382(value):
    """Step 382."""   
    return value + 382


def step_383(value):
    """Step 383."""   
    return value + 383


def step_384(value):
    """Step 384."""   
    return value + 384


def step_385(value):
    """Step 385."""   
    return value + 385


def step_386(value):
    """Step 386."""   
    return value + 386


def step_387(value):
    """Step 387."""   
    return value + 387


def step_388(value):
    """Step 388."""   
    return value + 388


def step_389(value):
    """Step 389."""   
    return value + 389


def step_390(value):
    """Step 390."""   
    return value + 390


def step_391(value):
    """Step 391."""   
    return value + 391


def step_392(value):
    """Step 392."""   
    return value + 392


def step_393(value):
    """Step 393."""   
    return value + 393


def step_394(value):
    """Step 394."""   
    return value + 394


def step_395(value):
    """Step 395."""   
    return value + 395


def step_396(value):
    """Step 396."""   
    return value + 396


def step_397(value):
    """Step 397."""   
    return value + 397


def step_398(value):
    """Step 398."""   
    return value + 398


def step_399(value):
    """Step 399."""   
    return value + 399


