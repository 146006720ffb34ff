"""The parts of random templates of ApplicationSets: functions with their arguments, texts, numbers, patterns, documents."""

# Functions by the kind of their result, with the kinds of their arguments: texts (s), whole numbers that a template spells (i), small ones
# (c), any numbers (n), booleans (b), lists (l), maps (m), maps that are changed (M), what is put into them (S), anything (a), regular
# expressions (r), kinds (k), types (t), YAML (y), JSON (j), and arguments of printf (p). `*`: any number of the last kind.
FUNCTIONS = {
    "s": """trim:s trimAll:ss trimPrefix:ss trimSuffix:ss trimSuffix:ss lower:s lower:s upper:s title:s quote:s quote:a* squote:a* cat:a* replace:sss
        replace:sss trunc:is substr:ccs repeat:cs nospace:s indent:cs nindent:cs plural:ssi toString:a toString:s sha256sum:s adler32sum:s b64enc:s
        b64dec:s join:sl join:sa normalize:s slugify:s slugify:cs slugify:cbs snakecase:s kebabcase:s camelcase:s base:s dir:s clean:s ext:s typeOf:a
        kindOf:a print:a* println:a* printf:p toJson:a toRawJson:a toYaml:a toYaml:m toYaml:l regexFind:rs regexReplaceAll:rss
        regexReplaceAllLiteral:rss regexQuoteMeta:s seq:c* html:s urlquery:s default:ss default:sa coalesce:s* ternary:ssb first:l last:l get:ms
        dig:ssm dig:sssm index:ms index:mss index:li""",
    "b": """contains:ss hasPrefix:ss hasSuffix:ss eq:ss eq:aa eq:nn eq:sss ne:ss ne:aa lt:nn le:nn gt:nn ge:ss lt:ss not:a not:b and:ab or:ba empty:a
        all:a* any:a* has:sl has:al hasKey:ms kindIs:ka typeIs:ta deepEqual:aa isAbs:s regexMatch:rs""",
    "n": """len:s len:l len:m len:a add:n* add1:n sub:nn mul:nn* div:nn mod:nn max:nn* min:nn* maxf:nn* minf:nn* floor:n ceil:n round:nc int:a int64:a
        float64:a int:s int:n atoi:s default:nn index:li add:a* biggest:nn""",
    "i": "int:n len:s len:l atoi:s int:i",
    "l": """list:a* list:s* splitList:ss rest:l initial:l reverse:l append:la prepend:la append:ls concat:l* concat:ll uniq:l without:la* compact:l
        sortAlpha:l toStrings:l toStrings:a slice:lc slice:lcc keys:m values:m keys:mm pluck:smm until:c untilStep:ccc regexFindAll:rsi regexSplit:rsi
        fromYamlArray:y fromJson:j default:ll first:l""",
    "m": """dict:sa dict:sasa dict:s dict:saa split:ss splitn:scs pick:ms pick:mss omit:ms* merge:M* mergeOverwrite:M* set:MsS unset:Ms deepCopy:m
        fromYaml:y fromJson:j default:mm first:l last:l get:ms dig:ssm index:ms""",
}
# Functions with parameters of any spelling; also words (w), replacements of a match (u), possible numbers (N), any format (p).
CALLS = """toYaml:a toYaml:a toYaml:a toJson:a toRawJson:a quote:s squote:a printf:pa printf:paa printf:pN print:aa print:ass regexMatch:rs
    regexFind:rs regexReplaceAll:rsu regexReplaceAllLiteral:rsu regexFindAll:rsc regexSplit:rsc regexQuoteMeta:s snakecase:w kebabcase:w
    camelcase:w snakecase:s title:w slugify:s slugify:cs slugify:cbs normalize:s base:s dir:s clean:s ext:s isAbs:s trim:s trimAll:ss trunc:cs
    substr:ccs splitList:ss splitn:scs split:ss replace:sss nospace:s indent:cs nindent:cs repeat:cs int:N int64:N float64:N int:i atoi:i add:NN
    add1:N sub:NN mul:NN div:NN mod:NN max:NNN biggest:nn min:NN floor:N ceil:N round:Nc maxf:NN minf:NN toString:a sortAlpha:l sortAlpha:a uniq:l
    uniq:a without:la has:al initial:a rest:a first:a last:a reverse:a slice:lcc slice:ac concat:aa append:aa append:la prepend:la compact:a join:sa
    join:sl merge:MM mergeOverwrite:MM merge:MMM mergeOverwrite:MMM set:Msa unset:Ms pick:Ms omit:Ms keys:M values:M pluck:sMM dict:sasa list:aa
    deepCopy:a deepEqual:aa eq:aa eq:ss lt:nn le:nn gt:ss len:a index:ac index:as dig:ssaa get:as hasKey:as kindOf:a kindIs:sa typeOf:a default:aa
    empty:a coalesce:aaa all:aa any:aa ternary:aab plural:ssc seq:cc seq:ccc untilStep:ccc until:c fromYaml:s fromYaml:y fromYamlArray:y fromJson:s
    b64enc:s sha256sum:s adler32sum:s urlquery:s html:s cat:aaa toStrings:a contains:ss hasPrefix:ss hasSuffix:ss trimPrefix:ss trimSuffix:ss lower:s
    upper:s not:a and:aa or:aaa println:aa fail:s""".split()
MUST = """append compact deepCopy first fromJson has initial last merge mergeOverwrite prepend push regexFind regexFindAll regexMatch regexReplaceAll
    regexReplaceAllLiteral regexSplit rest reverse slice toJson toRawJson uniq without""".split()
PATHS = "base dir clean ext isAbs".split()
# Other names of the same functions.
TWINS = {**{name: f"must{name[0].upper()}{name[1:]}" for name in MUST}, **{name: f"os{name[0].upper()}{name[1:]}" for name in PATHS},
         "trimAll": "trimall", "list": "tuple", "push": "append"}
COUNTING = "add add1 sub mul div mod max min biggest int int64 atoi or and".split()
UNKNOWN = "regexFoo env now uuidv4 semver randAlpha date urlParse htpasswd toPrettyJson chunk js call getHostByName lookup".split()

TEXTS = ["", "", "a", "b", "web", "Web", "my-app", "my_app", "a/b/c", "/a//b/", "apps/home/web", "a.b", "x=1", "12", "-3", "007", "1.0", "1.5", "1e3",
         "0x1f", "true", "null", "yes", "~", "a b", " a ", "a\nb", "a\n", "\ta", "a: b", "- a", "#a", "a #b", "'a'", "\"a\"", "a\\b", "<a&b>", "é",
         "größe", "日本", "😀", "K", "HTTPServer", "fooBar2x", "--a--", "some words here", "UPPER", "a,b,,c", "default", "2024-01-02", "12:30", "aXbX",
         "aaa", "ab" * 30, "a long text with many words " * 5, "%s", "%", "$1", "https://example.com/a?b=c", "v1.2.3", ".", "..", "a-b-c-d", "prod",
         "eu-west-1", "  ", "\u00a0x", "{{", "}}", "*", "a:1", "1_000", "+1", "0", "[1]", "{a: b}", "@x", "x\u2028y", "a\u0000b", "-", "_", "a  b"]
NUMBERS = [0, 1, 2, 3, -1, 7, 10, 42, 100, 80, 1000000, 123456789, 2 ** 53, 12345678901234567890, 0.5, 1.5, -2.5, 0.1, 3.0, 1e21, 1e-7, 1.25, 1e6,
           21.0, 0.00001, 65535, 99999.5]
WHOLE = "0 1 2 3 -1 5 10 2.0 0x2 'a' 1.5 -2 63".split()
CONSTANTS = "0 1 2 -3 1.5 0.0 1e3 1000000 1000000.0 9223372036854775807 010 1_000 +4 0b11 .5 3.".split()
PATTERNS = r"""a [a-z]+ ^a b$ (a)(b)? a|b [^a-z0-9-]+ \d+ \w+ \. a* (a|ab)(c|bcd) x{2,3} a+? ^$ \s (?i)a ( [0-9]+\.[0-9]+ -+ \bweb\b (.*)-(.*) . é
    [[:alpha:]] a** ^(.+?)-?([0-9]*)$ a?? [a-] (?P<n>a) \pL""".split() + [""]
PIECES = r"""a b [a-c] [^a] . \d \w \s \b ^ $ - _ x [A-Z0-9_.-] \. (?:ab) 1 é [b-é] (?i) (?m) (?s) (?U) [[:alpha:]] \pL \x61 \Qa.\E \z \S [^\d]
    日?""".split() + [" "]
REPETITIONS = ["", "", "", "*", "+", "?", "+?", "*?", "??", "{2}", "{1,2}", "{1,}"]
REPLACEMENTS = ["$1", "${2}x", "$$", "a$", "$1x", "${1}-$2", "b", "", "$0", "${", "${x}", "$é"]
FORMATS = ["%s", "%s-%s", "%d", "%v", "%q", "%t", "%5s|", "%-5s|", "%05d", "%.2f", "%x", "%+d", "%v %v", "%%", "%s%%", "%T", "a", "%e", "%g",
           "%6.2f", "%!", "%z", "%.1s", "%X", "%o", "%b", "%c", "%U", "%03d", "% d", "%08.3f", "%.3v", "%s %d"]
YAML = ["a: b", "a: 1\nb: [x, y]", "- a\n- b", "a:\n  b: c", "[]", "{}", "", "a", "a: yes", "a: 'yes'", "a: 1.5", "a: null", "a: 010", "b: 2\na: x y",
        "- 1\n- {a: b}", "a: \"b\\nc\"", "a: |\n  b\n", "a: &x b\nc: *x", "a: b: c", "1: a", "a: 1e3", "a: b # c"]
JSON = ["{\"a\":1}", "[1,\"b\",null]", "\"x\"", "3", "{", "null", "{\"a\":{\"b\":[true]}}", "{\"a\":1,\"a\":2}", "[]", "1e3"]
SPELLED_NUMBERS = ["1", "-5", "12.0", "1.5", "0x1f", "007", "abc", "", "9223372036854775808", "1e3", " 1", "1_0", "+3", "-"]
KINDS = ["map", "slice", "string", "float64", "invalid", "int"]
TYPES = ["string", "float64", "[]interface {}", "map[string]interface {}", "[]string", "bool"]
NAME_PARTS = ["a", "bC", "HTTP", "Server", "2x", "12", "-", "_", " ", ".", "=", "Go"]
CHARACTERS = [" abcxABCX0129-_./:#'\"\\,[]{}&*!|>%@`?=+~$()<^;\n\té日😀", "abAB01-_ ", "a ", "01:-.+_exob", "ab/.", "abcx-1_."]

KEYS = "name empty on off n f nothing items nums none maps labels nested blank path values metadata big text mixed".split()
WORDS = "name empty labels a b env team missing x path segments basename values nested port app.kubernetes.io/name".split()
FIELDS = {"s": ".name .text .empty .path.basename .path.path .nested.a .labels.env .values.x .metadata.labels.team".split(),
          "n": ".n .f .big .nested.port".split(), "b": [".on", ".off"], "l": ".items .nums .none .maps .mixed .path.segments".split(),
          "m": ".labels .nested .blank .path .values .metadata .metadata.labels .".split(), "i": [".n"], "c": [".n"]}
# Maps that may be changed, and what may be put into them: a map within itself has no end.
CHANGED = ["$.labels", "$.nested", "$.blank", "$.values", "(deepCopy $.nested)", "(deepCopy $.path)", ".missing",
           "(dict \"a\" (dict \"b\" 1) \"env\" \"\")", "(fromYaml \"a: {b: c}\")", "(dict \"a\" nil \"b\" (list 1))"]
LITERALS = ["", " ", "a", "x-", "\n", " \n ", "é", "}", "a: ", "\t", "- ", "\"", "{ x", "/"]
COMMENTS = ["{{/* a */}}", "{{- /* a */ -}}", "{{/* \n */}}", "{{/* a */ -}}"]
BROKEN = ["{{", "{{ .name", "{{ end }}", "{{ . | }}", "{{ | . }}", "{{ \"a }}", "{{ (.name }}", "{{ .name) }}", "{{ .a.b.c.d }}", "{{ $q }}",
          "{{ nil }}", "{{ 1 2 }}", "{{ .name 1 }}", "{{}}", "{{ .name.x }}", "{{ .items.a }}", "{{ true.x }}", "{{ \"a\" | .name }}",
          "{{ if }}{{ end }}", "{{ .name | \"a\" }}", "{{- -}}", "{{ $x = 1 }}", "{{ noSuchFunction }}", "{{ 08 }}", "{{ 1e }}", "{{ .é }}",
          "{{ ($z := 1) }}{{ $z }}", "{{ .name}}{{.text }}", "{{ '\\n' }}", "{{ \"\\x41\\u00e9\\101\" }}", "{{ 3 | printf \"%d\" }}",
          "{{ print (1)(2) }}", "{{ /* a */ }}", "{{/* a */  -}}", "{{{ .name }}", "{{ .name }}}", "{{ .nothing.a }}", "{{ (.nothing).a }}",
          "{{ .missing.a }}", "{{ $ }}", "{{ $.name }}", "{{.}}"]
# The parts of a template, for use in random order.
SOUP = """{{ }} {{- -}} . $ $x $x := = | ( ) , if else end range with break continue nil true .a .b.c "s" `r` 1 1.5 - + .5 'a' print len /* */ x $.a
    $x.b not eq list 0x1F 1e3 _ 08 : ; "\\n" (.a) (print) .a| |print $x:=1 {{end}} {{else}} {{.a}} {{if .a}} {{range $i,$x:=.l}} {{with .b}}
    {{$x}}""".split()
