package main

import (
	"net/http"
	"regexp"
	"slices"
	"time"
)

type createCapabilities struct {
	Reusable      bool     `json:"reusable"`
	Ephemeral     bool     `json:"ephemeral"`
	Preauthorized bool     `json:"preauthorized"`
	Tags          []string `json:"tags"`
}

type keyCapabilities struct {
	Devices struct {
		Create createCapabilities `json:"create"`
	} `json:"devices"`
}

type keyRequest struct {
	KeyType       string           `json:"keyType"`
	Description   string           `json:"description"`
	ExpirySeconds *int64           `json:"expirySeconds"`
	Capabilities  *keyCapabilities `json:"capabilities"`
}

// keyAnswer is what the API tells of a key; the secret is told once.
type keyAnswer struct {
	ID            string          `json:"id"`
	KeyType       string          `json:"keyType"`
	Key           string          `json:"key,omitempty"`
	Description   string          `json:"description"`
	Created       time.Time       `json:"created"`
	Expires       time.Time       `json:"expires"`
	ExpirySeconds int64           `json:"expirySeconds"`
	Revoked       time.Time       `json:"revoked,omitzero"`
	Invalid       bool            `json:"invalid,omitempty"`
	Capabilities  keyCapabilities `json:"capabilities"`
}

func (k *Key) told(now time.Time) keyAnswer {
	told := keyAnswer{
		ID: k.ID, KeyType: "auth", Description: k.Description, Created: k.Created, Expires: k.Expires,
		ExpirySeconds: int64(k.Expires.Sub(k.Created).Seconds()), Revoked: k.Revoked, Invalid: k.invalid(now),
	}
	told.Capabilities.Devices.Create = createCapabilities{k.Reusable, k.Ephemeral, k.Preauthorized, k.Tags}
	return told
}

var descriptionForm = regexp.MustCompile(`^[a-zA-Z0-9 -]{0,50}$`)

const keyLifeLimit = 90 * 24 * time.Hour

func (t *Tailnet) createKey(r *http.Request, client caller) (any, error) {
	var request keyRequest
	if err := body(r, &request); err != nil {
		return nil, err
	}
	life := keyLifeLimit
	if request.ExpirySeconds != nil && *request.ExpirySeconds != 0 { // 0 is what clients send that leave it to the API
		life = time.Duration(*request.ExpirySeconds) * time.Second
	}
	switch {
	case request.KeyType != "" && request.KeyType != "auth":
		return nil, refuse(400, "found keyType %q, expected auth", request.KeyType)
	case request.Capabilities == nil:
		return nil, refuse(400, "capabilities is missing")
	case !descriptionForm.MatchString(request.Description):
		return nil, refuse(400, "found description %q, expected at most 50 of letters, digits, hyphens and spaces", request.Description)
	case life <= 0 || life > keyLifeLimit:
		return nil, refuse(400, "found expirySeconds %d, expected 1 to %d", int64(life.Seconds()), int64(keyLifeLimit.Seconds()))
	}
	create := request.Capabilities.Devices.Create
	if err := client.mayTag(create.Tags); err != nil {
		return nil, err
	}
	now := time.Now().UTC().Truncate(time.Second)
	key := &Key{
		ID: "k" + random(10) + "CNTRL", Description: request.Description, Client: client.ID, Tags: create.Tags,
		Reusable: create.Reusable, Ephemeral: create.Ephemeral, Preauthorized: create.Preauthorized,
		Created: now, Expires: now.Add(life), Devices: []string{},
	}
	key.secret = "tskey-auth-" + key.ID + "-" + random(32)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys = append(t.keys, key)
	told := key.told(now)
	told.Key = key.secret
	return told, nil
}

// listKeys lists the keys that can still register a device, as the API does.
func (t *Tailnet) listKeys(*http.Request, caller) (any, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := []keyAnswer{}
	for _, key := range t.keys {
		if now := time.Now(); !key.invalid(now) {
			list = append(list, key.told(now))
		}
	}
	return map[string]any{"keys": list}, nil
}

// onKey runs DO with the key that the path names.
func (t *Tailnet) onKey(r *http.Request, do func(*Key) (any, error)) (any, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := r.PathValue("id")
	index := slices.IndexFunc(t.keys, func(key *Key) bool { return key.ID == id })
	if index < 0 {
		return nil, refuse(404, "key %q not found", id)
	}
	return do(t.keys[index])
}

// getKey tells also of keys that are spent, revoked or expired: those are "invalid".
func (t *Tailnet) getKey(r *http.Request, _ caller) (any, error) {
	return t.onKey(r, func(key *Key) (any, error) { return key.told(time.Now()), nil })
}

func (t *Tailnet) deleteKey(r *http.Request, _ caller) (any, error) {
	return t.onKey(r, func(key *Key) (any, error) {
		if !key.Revoked.IsZero() {
			return nil, refuse(404, "key %q not found", key.ID)
		}
		key.Revoked = time.Now().UTC()
		return none, nil
	})
}
