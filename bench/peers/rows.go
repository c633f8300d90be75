package main

import "strings"

// A row is one line of the table: a piece of work that the contenders do over the same bytes.
type row struct {
	id    string  // what workers are asked for; after a dot the type of the elements
	work  string  // what the table says
	limit string  // the stream of the C program that moves the same bytes; empty if there is none
	goal  float64 // the time aimed at, in times the limit

	// expr is the program that tstore runs, over a, b and c; a row without one is measured in its
	// own way.
	expr   string
	matrix bool  // operands have two axes
	again  bool  // the program is run on few elements again and again
	apart  bool  // results can't be compared: every run changes them, or the peers have other operands
	least  int64 // bytes that an operand must have; smaller ones leave the row out
	memory int64 // limit of the memory; 0 for the usual one
}

// typ returns the name of the element type, float32 where the row says nothing.
func (r *row) typ() string {
	_, short, _ := strings.Cut(r.id, ".")
	if name, ok := map[string]string{"f64": "float64", "i32": "int32", "f16": "float16", "bf16": "bfloat16"}[short]; ok {
		return name
	}
	return "float32"
}

var reductions = []struct{ id, expr string }{
	{"sum", "sum(a)"}, {"min", "min(a)"}, {"max", "max(a)"}, {"mean", "mean(a)"}, {"var", "var(a)"}, {"norm", "norm(a)"},
}

// expressions are those of several operations, which the worker in Python has as well.
var expressions = []struct {
	id, expr, limit string
	goal            float64
}{
	{"ops2", "c = a*b + 1.5", "add", 1.3},
	{"ops3", "c = (a - b)*a + b", "add", 1.3},
	{"ops6", "c = (a + b)*(a - b)*0.5 + a*b", "add", 1.3},
	{"ops10", "c = ((a + b)*(a - b) + 2*a)/(b*b + 1) - a*b", "add", 1.3},
	{"sumprod", "sum(a*b)", "read2", 1.2},
	{"meansquare", "mean((a - b)**2)", "read2", 1.2},
}

const largeProduct = "c[:8192, :8192] = a[:8192, :8192] @ b[:8192, :8192]"

// allRows returns the rows in the order of the table.
func allRows() []row {
	var rows []row

	for _, short := range []string{"f32", "f64"} {
		for _, r := range reductions {
			id := r.id + "." + short
			rows = append(rows, row{id: id, work: r.expr + ", ", limit: "read", goal: 1.15, expr: r.expr})
		}
	}

	rows = append(rows,
		row{id: "sumaxis.0", work: "sum(a, axis=0), ", limit: "read", goal: 1.25, expr: "sum(a, axis=0)", matrix: true},
		row{id: "sumaxis.1", work: "sum(a, axis=1), ", limit: "read", goal: 1.25, expr: "sum(a, axis=1)", matrix: true},
		row{id: "sumaxis.both", work: "sum(a, axis=(0, 1)), ", limit: "read", goal: 1.25, expr: "sum(a, axis=(0, 1))", matrix: true})

	for _, short := range []string{"f32", "f64", "i32"} {
		rows = append(rows, row{id: "add." + short, work: "c = a + b, ", limit: "add", goal: 1.2, expr: "c = a + b"})
	}
	for _, short := range []string{"f32", "f64", "i32"} {
		rows = append(rows, row{id: "update." + short, work: "c += a*b, ", limit: "update", goal: 1.2, expr: "c += a*b", apart: true})
	}

	for _, e := range expressions {
		for _, short := range []string{"f32", "f64"} {
			rows = append(rows, row{id: e.id + "." + short, work: e.expr + ", ", limit: e.limit, goal: e.goal, expr: e.expr})
		}
	}

	rows = append(rows,
		row{id: "hyp", work: "c = sqrt(a*a + b*b), ", limit: "add", goal: 2, expr: "c = sqrt(a*a + b*b)"},
		row{id: "poly", work: "c = 2*a*a + 3*a*b - b + 1.5, ", limit: "add", goal: 2, expr: "c = 2*a*a + 3*a*b - b + 1.5"},
		row{id: "where", work: "c = where(a > b, a, b), ", limit: "add", goal: 2, expr: "c = where(a > b, a, b)"},
		row{id: "exp", work: "c = exp(a), ", limit: "copy", goal: 1.3, expr: "c = exp(a)"},
		row{id: "log", work: "c = log(a), ", limit: "copy", goal: 1.3, expr: "c = log(a)"},
		row{id: "tanh", work: "c = tanh(a), ", limit: "copy", goal: 1.3, expr: "c = tanh(a)"},
		row{id: "sigmoid", work: "c = sigmoid(a), ", limit: "copy", goal: 1.3, expr: "c = sigmoid(a)"},
		row{id: "add.f16", work: "c = a + b, ", limit: "add", goal: 1.3, expr: "c = a + b"},
		row{id: "add.bf16", work: "c = a + b, ", limit: "add", goal: 1.3, expr: "c = a + b"},
		row{id: "transpose", work: "c = a.T, ", limit: "copy", goal: 2, expr: "c = a.T", matrix: true},
		row{id: "addtransposed", work: "c = a + b.T, ", limit: "add", goal: 2, expr: "c = a + b.T", matrix: true},
		row{id: "sumstep", work: "sum(a[::4]), ", limit: "read", goal: 1.3, expr: "sum(a[::4])"},
		row{id: "broadcast", work: "c = a + row + column, ", limit: "copy", goal: 1.25, expr: "c = a + b[0] + b[:, :1]", matrix: true},
		row{id: "matmul.f32", work: "a @ b, 2,048³, ", expr: "a[:4194304].reshape(2048, 2048) @ b[:4194304].reshape(2048, 2048)"},
		row{id: "matmul.f64", work: "a @ b, 2,048³, ", expr: "a[:4194304].reshape(2048, 2048) @ b[:4194304].reshape(2048, 2048)"},
		row{id: "matmulturned.f32", work: "a.T @ b, 2,048³, ", expr: "a[:4194304].reshape(2048, 2048).T @ b[:4194304].reshape(2048, 2048)"},
		row{id: "matmulstep.f32", work: "a[:, ::2] @ b, 2,048³, ", expr: "a[:8388608].reshape(2048, 4096)[:, ::2] @ b[:4194304].reshape(2048, 2048)"},
		row{id: "matmullarge", work: "c = a @ b, 8,192³, ", expr: largeProduct, matrix: true, apart: true, least: 1 << 30},
		row{id: "matmulbounded", work: "c = a @ b, 8,192³, within a memory limit of 1/4 of a and b, ", expr: largeProduct, matrix: true, apart: true, least: 1 << 30, memory: 128 << 20},
		row{id: "median.f32", work: "median(a), ", limit: "read", goal: 8, expr: "median(a)"},
		row{id: "median.f64", work: "median(a), ", limit: "read", goal: 8, expr: "median(a)"},
		row{id: "quantiles", work: "quantile(a, [0.01, 0.25, 0.5, 0.75, 0.99]), ", limit: "read", goal: 8, expr: "quantile(a, [0.01, 0.25, 0.5, 0.75, 0.99])"},
		row{id: "topk", work: "topk(a, 100), ", limit: "read", goal: 8, expr: "topk(a, 100)"},
		row{id: "sort", work: "c = sort(a), ", expr: "c = sort(a)"},
		row{id: "sortrows", work: "c = sort(a, axis=1), ", expr: "c = sort(a, axis=1)", matrix: true},
		row{id: "movemean", work: "c = move_mean(a, 20), ", limit: "copy", goal: 1.5, expr: "c = move_mean(a, 20)", apart: true},
		row{id: "movemax", work: "c = move_max(a, 20), ", limit: "copy", goal: 1.5, expr: "c = move_max(a, 20)", apart: true},
		row{id: "knn", work: "knn(q, x, 10) of 1,000 among 100,000 × 128, ", expr: "knn(b[:128000].reshape(1000, 128), a[:12800000].reshape(100000, 128), 10)", apart: true},
		row{id: "knn1m", work: "knn(q, x, 10) of 1,000 among 1,000,000 × 128, ", expr: "knn(b[:128000].reshape(1000, 128), a[:128000000].reshape(1000000, 128), 10)", apart: true, least: 512000000},
		row{id: "new", work: "new tensor d = a + b, durability process, limit without fsync, ", limit: "new", goal: 1.2},
		row{id: "newsync", work: "new tensor d = a + b, durability power, limit with fsync, ", limit: "newsync", goal: 1.2},
		row{id: "again", work: "c = sqrt(a*a + b*b) of 10,000 elements, planned once, ", limit: "again", goal: 1.2, expr: "c = sqrt(a*a + b*b)", again: true, least: 40_000},
		row{id: "small", work: "sqrt(a*a + b*b) of 1,000 elements, incl. parsing, ", apart: true})

	for i := range rows {
		rows[i].work += rows[i].typ()
	}
	return rows
}
