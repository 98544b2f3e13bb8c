/** Commonly used passwords of at least eight characters, in lower case. */
export const commonPasswords: ReadonlySet<string> = new Set(
  (
    '00000000 000000000 0000000000 01234567 012345678 0123456789 0987654321 09876543 10101010 11111111 111111111 ' +
    '1111111111 11112222 11223344 1122334455 12121212 12341234 123123123 123321123 1234512345 12345678 123456789 ' +
    '1234567890 12345678910 123456abc 123456789a 1234567a 1234abcd 123qweasd 123qwe123 12344321 13131313 14141414 ' +
    '147258369 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz1qaz 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 20202020 21212121 22222222 ' +
    '22446688 23456789 25802580 31415926 33333333 36925814 44444444 55555555 55667788 66666666 69696969 77777777 ' +
    '78945612 789456123 87654321 88888888 98765432 987654321 9876543210 99999999 999999999 a1234567 a12345678 ' +
    'a123456789 aa123456 aaaaaaaa abc12345 abc123456 abcd1234 abcd12345 abcdefgh abcdefghi abcdef123 access14 ' +
    'adidas123 admin123 admin1234 admin12345 administrator adminadmin airborne aa12345678 alexander alexandra ' +
    'america1 anderson andromeda apple123 arsenal1 asas1212 asdasdasd asdf1234 asdfasdf asdfghjk asdfghjkl asdfjkl1 ' +
    'asdqwe123 asd123456 azertyui azertyuiop babygirl babygirl1 backdoor bailey12 barcelona baseball baseball1 ' +
    'basketball batman123 beautiful benjamin bettyboop bigdaddy billabong blackcat blahblah blessed1 blink182 ' +
    'bluebird bond007bond brooklyn brittany broncos1 bullshit business butterfly butthead caroline cardinal ' +
    'carolina celtics1 champion changeit changeme changeme1 changeme123 charlie1 charlotte chelsea1 chevelle ' +
    'chocolate christian christopher cocacola collins1 computer computer1 concrete consumer cowboys1 cristina ' +
    'danielle database dddddddd december default1 defaultpassword delldell denise12 devil666 diamond1 dolphin1 ' +
    'dolphins download dragon12 dragon123 dragonball einstein elephant elizabeth eminem12 enterpri everton1 ' +
    'explorer extreme1 facebook faithful fernando ferrari1 firebird fireball football football1 fortune1 freedom1 ' +
    'fuckyou1 fuckyou2 gabriel1 gateway1 gfhjkmgf godzilla golfball goodluck google123 graphics guitar12 gundam00 ' +
    'hardcore harrypotter hawaii50 heather1 hello123 helloworld hello1234 hockey12 hollywood homepage honeybee ' +
    'hotmail1 hunter12 iceman12 ihateyou iloveyou iloveyou1 iloveyou2 iloveyou123 imissyou infinity internet ' +
    'isabella jackson1 jasmine1 jennifer jessica1 jonathan jordan12 jordan123 jordan23 joshua12 justin12 katherine ' +
    'kawasaki kimberly kingkong lalalala landrover laura123 letmein1 letmein12 letmein123 leonardo lifehack ' +
    'linkedin liverpoo liverpool liverpool1 login123 london12 loveyou1 lovelove macintosh madison1 manchester ' +
    'margaret marina12 marlboro martin12 master12 master123 matthew1 maverick maxwell1 megadeth melissa1 mercedes ' +
    'metallica michael1 michelle microsoft midnight minecraft minnesota mistress monkey12 monkey123 monster1 ' +
    'montana1 motorola mountain mustang1 mylove12 myspace1 naruto12 nathalie newcastle newyork1 nicholas nicole12 ' +
    'nintendo nirvana1 november nothing1 november1 october1 oblivion oooooooo p@ssw0rd p@ssword pa$$w0rd pa55w0rd ' +
    'pa55word pakistan panasonic pandora1 panther1 panthers paradise pass1234 passpass passw0rd passw0rd1 ' +
    'passwort password password! password0 password01 password1 password1! password10 password11 password12 ' +
    'password123 password1234 password12345 password2 password3 password7 password9 passwordpassword patricia ' +
    'patriots peaches1 peanut12 personal phoenix1 playboy1 pokemon1 pokemon123 portugal precious predator princess ' +
    'princess1 q1w2e3r4 q1w2e3r4t5 qazwsx12 qazwsxed qazwsxedc qazwsx123 qq123456 qqqqqqqq qwe123qwe qweasdzx ' +
    'qweasdzxc qweqweqwe qwer1234 qwerqwer qwert123 qwerty01 qwerty12 qwerty123 qwerty1234 qwerty12345 qwertyui ' +
    'qwertyuiop qwertyuiop123 qwertyqwerty rainbow1 randolph rangers1 rebecca1 redskins remember richard1 ' +
    'robert12 rockstar rush2112 samantha samsung1 samsung123 sandman1 savannah scorpion scorpio1 secret12 ' +
    'secret123 security sergey12 serenity shadow12 shadow123 shithead skywalker slipknot snickers snowball ' +
    'snoopdog soccer12 softball something spiderman spiderman1 spongebob squirrel srinivas ssssssss starcraft ' +
    'stargate startrek starwars starwars1 steelers stephanie stingray student1 summer12 summer2020 sunflower ' +
    'sunshine sunshine1 superman superman1 superstar swimming swordfish tamara12 temp1234 temporary test1234 ' +
    'test12345 testtest testing1 testing123 thailand thomas12 thunder1 thunderb tinkerbell titanic1 toyota12 ' +
    'trinity1 trustno1 twilight undertaker united12 universe username valentina valentine vampire1 veronica ' +
    'victoria victory1 volleyball warcraft warrior1 watermelon webmaster welcome1 welcome12 welcome123 ' +
    'welcome1234 westside whatever whatever1 wildcats william1 windows1 winston1 wolverine woodland xbox360x ' +
    'xxxxxxxx yankees1 yellow12 yuantuo2012 yxcvbnm1 zaq12wsx zaq1xsw2 zaq1zaq1 zxcvbnm1 zxcvbnm123 zxcvbnma ' +
    'zxcvzxcv zzzzzzzz'
  ).split(' '),
);
