package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

type token struct {
	client  string
	expires time.Time
}

func (t *Tailnet) authenticate(r *http.Request) (caller, error) {
	text, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	t.mu.Lock()
	defer t.mu.Unlock()
	known, ok := t.tokens[text]
	if !found || !ok || time.Now().After(known.expires) {
		return caller{}, refuse(401, "API token invalid")
	}
	return caller{t.clients[known.client]}, nil
}

// form reads a form body whose fields are all among those that are allowed.
func form(r *http.Request, allowed ...string) (url.Values, error) {
	if found := contentType(r); found != "application/x-www-form-urlencoded" {
		return nil, refuse(400, "found content type %q, expected application/x-www-form-urlencoded", found)
	}
	r.Body = http.MaxBytesReader(nil, r.Body, bodyLimit)
	if err := r.ParseForm(); err != nil {
		return nil, refuse(400, "invalid form: %v", err)
	}
	for name, values := range r.PostForm {
		if !slices.Contains(allowed, name) || len(values) > 1 {
			return nil, refuse(400, "unexpected form field %q", name)
		}
	}
	if found := r.PostForm.Get("grant_type"); found != "client_credentials" {
		return nil, refuse(400, "found grant_type %q, expected client_credentials", found)
	}
	return r.PostForm, nil
}

// basic reads credentials in a header, which RFC 6749 wants form-escaped there.
func basic(r *http.Request) (id, secret string, found bool) {
	id, secret, found = r.BasicAuth()
	if unescaped, err := url.QueryUnescape(id); err == nil {
		id = unescaped
	}
	if unescaped, err := url.QueryUnescape(secret); err == nil {
		secret = unescaped
	}
	return id, secret, found
}

func (t *Tailnet) tokenForSecret(r *http.Request) (any, error) {
	fields, err := form(r, "grant_type", "client_id", "client_secret", "scope", "tags")
	if err != nil {
		return nil, err
	}
	id, secret, found := basic(r)
	if !found {
		id, secret = fields.Get("client_id"), fields.Get("client_secret")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	client, known := t.clients[id]
	if !known || client.Secret == "" || client.Secret != secret {
		return nil, refuse(401, "API token invalid")
	}
	return t.issueLocked(client), nil
}

func (t *Tailnet) tokenForJWT(r *http.Request) (any, error) {
	fields, err := form(r, "grant_type", "client_id", "jwt")
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	client, known := t.clients[fields.Get("client_id")]
	if !known || client.Subject == "" {
		return nil, refuse(401, "no federated identity %q", fields.Get("client_id"))
	}
	if err := client.checkJWT(fields.Get("jwt"), time.Now()); err != nil {
		return nil, refuse(401, "invalid JWT: %v", err)
	}
	return t.issueLocked(client), nil
}

func (t *Tailnet) issueLocked(client Client) any {
	seconds := client.ExpiresIn
	if seconds == 0 {
		seconds = 3600
	}
	text := "tskey-api-" + random(12) + "CNTRL-" + random(32)
	t.tokens[text] = token{client.ID, time.Now().Add(time.Duration(seconds) * time.Second)}
	return map[string]any{
		"access_token": text, "token_type": "Bearer", "expires_in": seconds, "scope": strings.Join(client.Scopes, " "),
	}
}

// audiences is a JWT's aud, which is one string or a list.
type audiences []string

func (a *audiences) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*a = audiences{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(a))
}

func (c Client) checkJWT(jwt string, now time.Time) error {
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		return fmt.Errorf("found %d parts, expected 3", len(parts))
	}
	var header struct {
		Alg string `json:"alg"`
	}
	var claims struct {
		Iss string    `json:"iss"`
		Sub string    `json:"sub"`
		Aud audiences `json:"aud"`
		Exp int64     `json:"exp"`
		Nbf int64     `json:"nbf"`
	}
	for index, into := range []any{&header, &claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[index])
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return err
		}
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return err
	}
	if err := c.checkSignature(header.Alg, parts[0]+"."+parts[1], signature); err != nil {
		return err
	}
	switch {
	case claims.Iss != c.Issuer:
		return fmt.Errorf("found issuer %q, expected %q", claims.Iss, c.Issuer)
	case claims.Sub != c.Subject:
		return fmt.Errorf("found subject %q, expected %q", claims.Sub, c.Subject)
	case !slices.Contains(claims.Aud, c.Audience):
		return fmt.Errorf("found audience %q, expected %q", claims.Aud, c.Audience)
	case now.Unix() >= claims.Exp || now.Unix() < claims.Nbf:
		return errors.New("not valid at this time")
	}
	return nil
}

func (c Client) checkSignature(algorithm, signed string, signature []byte) error {
	block, _ := pem.Decode([]byte(c.PublicKey))
	if block == nil {
		return errors.New("the client's publicKey is not PEM")
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return err
	}
	digest := sha256.Sum256([]byte(signed))
	switch key := public.(type) {
	case *ecdsa.PublicKey:
		if algorithm == "ES256" && len(signature) == 64 &&
			ecdsa.Verify(key, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
			return nil
		}
	case *rsa.PublicKey:
		if algorithm == "RS256" && rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) == nil {
			return nil
		}
	}
	return errors.New("the signature does not verify")
}
