package order

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Method defines a quantile if no element is exactly at its level. It is one of the methods that
// Hyndman and Fan compare (Sample Quantiles in Statistical Packages, 1996), or one of NumPy's own.
type Method struct {
	Name string
	// Picks says that the result is an element, never something between two.
	Picks bool
	// place returns where the quantile q is among n sorted elements: at index i, or between i and i
	// + 1.
	place func(n, q float64) float64
	// weight returns the share of the upper element, if it is not the fraction of the place.
	weight func(place, fraction float64) float64
}

// methods are the methods of numpy.quantile, by their names there.
var methods = []Method{
	{"inverted_cdf", true, invertedCDF, nil},
	{"averaged_inverted_cdf", false, func(n, q float64) float64 { return n*q - 1 }, func(_, fraction float64) float64 {
		if fraction == 0 {
			return 0.5
		}
		return 1
	}},
	{"closest_observation", true, closestObservation, nil},
	{"interpolated_inverted_cdf", false, between(0, 1), nil},
	{"hazen", false, between(0.5, 0.5), nil},
	{"weibull", false, between(0, 0), nil},
	{"linear", false, func(n, q float64) float64 { return (n - 1) * q }, nil},
	{"median_unbiased", false, between(1/3.0, 1/3.0), nil},
	{"normal_unbiased", false, between(3/8.0, 3/8.0), nil},
	{"lower", true, func(n, q float64) float64 { return math.Floor((n - 1) * q) }, nil},
	{"higher", true, func(n, q float64) float64 { return math.Ceil((n - 1) * q) }, nil},
	{"midpoint", false, func(n, q float64) float64 { return 0.5 * (math.Floor((n-1)*q) + math.Ceil((n-1)*q)) }, func(place, _ float64) float64 {
		if place == math.Floor(place) {
			return 0
		}
		return 0.5
	}},
	{"nearest", true, func(n, q float64) float64 { return math.RoundToEven((n - 1) * q) }, nil},
}

// between returns the places of the methods that differ in two constants.
func between(alpha, beta float64) func(n, q float64) float64 {
	return func(n, q float64) float64 { return float64(n*q) + (alpha + float64(q*(1-alpha-beta))) - 1 }
}

func invertedCDF(n, q float64) float64 {
	at := n*q - 1
	if i := math.Floor(at); i != at {
		return i + 1
	}
	return at
}

func closestObservation(n, q float64) float64 {
	at := n*q - 1 - 0.5
	i := math.Floor(at)
	if i == at && math.Mod(i, 2) != 0 {
		return i
	}
	return i + 1
}

// MethodOf returns the method of a name.
func MethodOf(name string) (Method, error) {
	i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		names := make([]string, len(methods))
		for k, m := range methods {
			names[k] = m.Name
		}
		return Method{}, fmt.Errorf("there is no method %q of quantiles: expected one of %s", name, strings.Join(names, ", "))
	}
	return methods[i], nil
}

// A Place is the position of a quantile: at the element that sorting puts at Lower, or between it
// and the one at Upper, whose share is Weight.
type Place struct {
	Lower, Upper int
	Weight       float64
}

// Place returns where the quantile q, from 0 to 1, of n > 0 elements is.
func (m Method) Place(n int, q float64) Place {
	at := m.place(float64(n), q)
	lower := math.Floor(at)
	weight := at - lower
	if m.weight != nil {
		weight = m.weight(at, weight)
	}

	i, j := int(lower), int(lower)+1
	switch {
	case at >= float64(n-1):
		i, j = n-1, n-1
	case at < 0:
		i, j = 0, 0
	}

	if m.Picks {
		return Place{Lower: i, Upper: i}
	}
	return Place{i, j, weight}
}
