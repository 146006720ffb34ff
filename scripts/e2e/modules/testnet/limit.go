package main

import (
	"math"
	"net/http"
	"time"
)

// limit is how many requests a second the API takes, in bursts of as many; zero is any number.
type limit struct {
	perSecond float64
	left      float64
	at        time.Time
}

// take counts one request, or tells how long there is room for none.
func (l *limit) take(now time.Time) (wait time.Duration) {
	if l.perSecond == 0 {
		return 0
	}
	l.left = math.Min(math.Max(l.perSecond, 1), l.left+now.Sub(l.at).Seconds()*l.perSecond)
	l.at = now
	if l.left < 1 {
		return time.Duration((1 - l.left) / l.perSecond * float64(time.Second))
	}
	l.left--
	return 0
}

// overLimit is the fault that happens to a request beyond the limit; nil to others.
func (t *Tailnet) overLimit() *Fault {
	t.mu.Lock()
	defer t.mu.Unlock()
	wait := t.limit.take(time.Now())
	if wait == 0 {
		return nil
	}
	t.taken[tailscaleAPI+"/limit"]++
	return &Fault{Kind: "429", RetryAfter: int(math.Ceil(wait.Seconds()))}
}

func (t *Tailnet) setLimit(r *http.Request) (any, error) {
	var request struct {
		PerSecond float64 `json:"perSecond"`
	}
	if err := body(r, &request); err != nil {
		return nil, err
	}
	if request.PerSecond < 0 {
		return nil, refuse(400, "found perSecond %v, expected 0 or more", request.PerSecond)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limit = limit{perSecond: request.PerSecond, left: math.Max(request.PerSecond, 1), at: time.Now()}
	return none, nil
}
