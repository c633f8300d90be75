module github.com/tstore/tstore/bench/peers/gonum

go 1.26

require gonum.org/v1/gonum v0.17.0
