package draws

import (
	"encoding/pem"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// Value is what a call site has drawn.
type Value struct {
	// Text is the value, unless it is a certificate: a whole number in decimal, a time as in RFC 3339.
	Text string
	// Certificate and PrivateKey are PEM. A certificate that was taken over may have no key.
	Certificate, PrivateKey string
	// Arguments is a digest of the arguments that the key does not show.
	Arguments string
	// Issuer is a digest of the certificate that signed this one.
	Issuer string
	// Places are where the value was rendered: an object and a field each. They are nil if that is not known, as in values that earlier
	// versions of the provider have stored.
	Places []string
}

// drawnZone is the zone of a drawn time. It is UTC on every machine, and marks a time as drawn.
var drawnZone = time.FixedZone("UTC", 0)

// valueOf returns the value to store for a result.
func valueOf(result reflect.Value) Value {
	switch result := result.Interface().(type) {
	case string:
		return Value{Text: result}
	case int:
		return Value{Text: strconv.Itoa(result)}
	case time.Time:
		return Value{Text: result.UTC().Format(time.RFC3339Nano)}
	}
	return Value{Certificate: result.FieldByName("Cert").String(), PrivateKey: result.FieldByName("Key").String()}
}

// result returns the value as the result type of the function. For a certificate that is a type that sprig does not export.
func (v Value) result(of reflect.Type) (reflect.Value, error) {
	switch of {
	case reflect.TypeFor[string]():
		return reflect.ValueOf(v.Text), nil
	case reflect.TypeFor[int]():
		number, err := strconv.Atoi(v.Text)
		if err != nil {
			return reflect.Value{}, errors.New("it is no whole number")
		}
		return reflect.ValueOf(number), nil
	case reflect.TypeFor[time.Time]():
		moment, err := time.Parse(time.RFC3339Nano, v.Text)
		if err != nil {
			return reflect.Value{}, errors.New("it is no time")
		}
		return reflect.ValueOf(moment.In(drawnZone)), nil
	}
	result := reflect.New(of).Elem()
	result.FieldByName("Cert").SetString(v.Certificate)
	result.FieldByName("Key").SetString(v.PrivateKey)
	if v.isKeyless() {
		result.FieldByName("Key").SetString(absentKey(v.Certificate))
	}
	return result, nil
}

// check returns an error if the function could not have drawn a stored value. The error does not quote the value.
func (v Value) check(function string) error {
	of := reflect.TypeOf(library[function]).Out(0)
	isCertificate := of.Kind() == reflect.Struct && of != reflect.TypeFor[time.Time]()
	switch {
	case isCertificate && v.Text == "":
		if _, err := parseCertificate(v.Certificate); err != nil {
			return err
		}
		if key, _ := pem.Decode([]byte(v.PrivateKey)); key == nil && !v.isKeyless() {
			return errors.New("its private key is no PEM")
		}
	case isCertificate || v.Certificate != "" || v.PrivateKey != "":
		return fmt.Errorf("it is not of the kind that %s draws", function)
	default:
		_, err := v.result(of)
		return err
	}
	return nil
}
