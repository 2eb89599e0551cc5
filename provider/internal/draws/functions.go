package draws

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
)

// drawPrefix is put before the name of a function that draws, in rewritten templates.
const drawPrefix = "kc_"

// drawn are the functions whose results differ from one call to the next. Date functions differ if they are given no date, because they
// then take the time of the call. derivePassword is not here: it derives its result.
var drawn = map[string]bool{
	"randAlphaNum": true, "randAlpha": true, "randNumeric": true, "randAscii": true, "randBytes": true, "randInt": true,
	"shuffle": true, "uuidv4": true,
	"genPrivateKey": true, "genCA": true, "genCAWithKey": true, "genSelfSignedCert": true, "genSelfSignedCertWithKey": true,
	"genSignedCert": true, "genSignedCertWithKey": true,
	"htpasswd": true, "bcrypt": true, "encryptAES": true,
	"now": true, "ago": true, "durationRound": true,
	"date": true, "dateInZone": true, "date_in_zone": true, "htmlDate": true, "htmlDateInZone": true,
}

// signers map a function to the index of its argument with the signing certificate.
var signers = map[string]int{"genSignedCert": 4, "genSignedCertWithKey": 4}

// dated map a function to the index of its argument with the date.
var dated = map[string]int{"date": 1, "dateInZone": 1, "date_in_zone": 1, "htmlDate": 0, "htmlDateInZone": 0, "durationRound": 0}

// sized have an argument with the length of the result.
var sized = map[string]bool{"randAlphaNum": true, "randAlpha": true, "randNumeric": true, "randAscii": true, "randBytes": true}

// longest limits the length of a drawn text. Texts are made character by character, so a chart could take hours.
const longest = 1 << 20

// library are the functions that Helm takes from sprig.
var library = sprig.TxtFuncMap()

// drawing is one call of a function that draws.
type drawing struct {
	function string
	call     reflect.Value
	args     []reflect.Value
}

// drawFuncs are the functions that draw, each with the scope and the hint before its own parameters.
func (s *Session) drawFuncs() template.FuncMap {
	funcs := template.FuncMap{}
	for name := range drawn {
		call := reflect.ValueOf(library[name])
		if name == "now" {
			call = reflect.ValueOf(func() time.Time { return s.options.Now })
		}
		funcs[drawPrefix+name] = s.wrap(name, call)
	}
	return funcs
}

// Draws reports whether a function of [Session.Funcs] may draw.
func Draws(name string) bool {
	_, draws := drawn[strings.TrimPrefix(name, drawPrefix)]
	return draws
}

// wrap gives a function its additional parameters. Its own parameters keep their types, so the engine checks arguments as usual.
func (s *Session) wrap(name string, call reflect.Value) any {
	in := []reflect.Type{reflect.TypeFor[*scope](), reflect.TypeFor[string]()}
	in = slices.AppendSeq(in, call.Type().Ins())
	result := call.Type().Out(0)
	out := []reflect.Type{result, reflect.TypeFor[error]()}
	return reflect.MakeFunc(reflect.FuncOf(in, out, false), func(args []reflect.Value) []reflect.Value {
		d := drawing{name, call, args[2:]}
		var answer reflect.Value
		var err error
		if d.isDrawn() {
			answer, err = s.answer(args[0].Interface().(*scope), args[1].String(), d)
		} else {
			answer, err = d.run()
		}
		if err != nil {
			return []reflect.Value{reflect.Zero(result), reflect.ValueOf(&err).Elem()}
		}
		return []reflect.Value{answer, reflect.Zero(out[1])}
	}).Interface()
}

// isDrawn reports whether the next call would return another result.
func (d drawing) isDrawn() bool {
	at, is := dated[d.function]
	if !is {
		return true
	}
	switch d.args[at].Interface().(type) {
	case time.Time:
		return d.function == "durationRound"
	case *time.Time, int, int32, int64:
		return false
	}
	return d.function != "durationRound"
}

// check refuses calls that would take too long.
func (d drawing) check() error {
	if sized[d.function] && d.args[0].Int() > longest {
		return fmt.Errorf("it draws at most %d characters", longest)
	}
	return nil
}

// resultType is the type of the result.
func (d drawing) resultType() reflect.Type { return d.call.Type().Out(0) }

// draw makes a new value.
func (d drawing) draw() (Value, error) {
	result, err := d.run()
	if err != nil {
		return Value{}, err
	}
	return valueOf(result), nil
}

// run calls the function.
func (d drawing) run() (reflect.Value, error) {
	call, args := d.call, d.args
	if at, is := dated[d.function]; is {
		if moment, is := reflect.TypeAssert[time.Time](args[at]); is && moment.Location() == drawnZone {
			// Helm's date shows the time in this machine's zone, which can differ on the next machine.
			switch d.function {
			case "date":
				call, args = reflect.ValueOf(library["dateInZone"]), append(args[:2:2], reflect.ValueOf("UTC"))
			case "htmlDate":
				call, args = reflect.ValueOf(library["htmlDateInZone"]), append(args[:1:1], reflect.ValueOf("UTC"))
			}
		}
	}
	results := call.Call(args)
	if len(results) > 1 && !results[1].IsNil() {
		return reflect.Value{}, results[1].Interface().(error)
	}
	return results[0], nil
}

// numbers returns the whole numbers among the arguments, which determine the shape of the result.
func (d drawing) numbers() string {
	var numbers strings.Builder
	for i, arg := range d.args {
		if d.call.Type().In(i).Kind() == reflect.Int {
			numbers.WriteString(" " + strconv.FormatInt(arg.Int(), 10))
		}
	}
	return numbers.String()
}

// digest stands for the other arguments, except the signing certificate. It is "" if there are none.
func (d drawing) digest() string {
	hash := sha256.New()
	hashed := false
	for i, arg := range d.args {
		if d.call.Type().In(i).Kind() == reflect.Int || i == d.signer() {
			continue
		}
		hashed = true
		var text []byte
		if arg.Kind() == reflect.String {
			text = []byte(arg.String())
		} else if encoded, err := json.Marshal(arg.Interface()); err == nil {
			text = encoded
		}
		hash.Write(fmt.Appendf(nil, "%d:%s,", len(text), text))
	}
	if !hashed {
		return ""
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// signer returns the index of the signing certificate, -1 if there is none.
func (d drawing) signer() int {
	if at, is := signers[d.function]; is {
		return at
	}
	return -1
}

// issuer stands for the signing certificate. It is "" if there is none.
func (d drawing) issuer() string {
	at := d.signer()
	if at < 0 {
		return ""
	}
	return issuerOf(d.args[at].FieldByName("Cert").String())
}

// texts returns the texts among the arguments.
func (d drawing) texts() (texts []string) {
	for _, arg := range d.args {
		if arg.Kind() == reflect.String {
			texts = append(texts, arg.String())
		}
	}
	return texts
}
