package ptx

// A tile is the part of C that a block computes. Each thread has some of its sums.
type tile struct {
	edges    [2]int     // its rows and columns
	sums     [][]string // of the thread
	row, col string     // the first ones of the thread
	at       string     // the address of the first sum
	stride   string     // the bytes between rows
	adds     string     // whether sums are added to what is there
}

// beginTile emits the place of a thread's sums.
func (p *product) beginTile(rows, cols, down, across string) {
	first := func(block, part string, edge int) string {
		begin := p.emit("b32", "mul.lo.u32", block, text(edge))
		return p.emit("b32", "mad.lo.u32", part, text(edge/threadsAcross/2), begin)
	}
	t := &p.tile
	t.row, t.col = first(rows, down, t.edges[0]), first(cols, across, t.edges[1])
	t.stride = p.param("row_c")
	t.at = p.emit("b64", "mad.lo.u64", p.emit("b64", "cvt.u64.u32", t.row), t.stride, p.param("c"))
	t.at = p.emit("b64", "mad.wide.u32", t.col, text(p.size), t.at)
	t.adds = p.emit("pred", "setp.ne.u64", p.param("adds"), "0")

	for range places(t.edges[0]) {
		var sums []string
		for range places(t.edges[1]) {
			sums = append(sums, p.register(p.typ))
		}
		t.sums = append(t.sums, sums)
	}
}

// clear begins a run.
func (p *product) clear() {
	zero := "0"
	if p.typ[0] == 'f' {
		zero = number(p.typ, 0)
	}
	for _, row := range p.tile.sums {
		for _, sum := range row {
			p.set(sum, "mov."+p.typ, zero)
		}
	}
}

// multiply adds the products of a stage to the sums. A stage with all its steps needs no loop.
func (p *product) multiply() {
	a, b := p.emit("b32", "add.u32", p.panels[0].read, p.inUse), p.emit("b32", "add.u32", p.panels[1].read, p.inUse)
	steps := p.emit("b32", "sub.u32", p.k, p.first)
	few := p.emit("pred", "setp.lt.u32", steps, text(depth))

	loop, done := p.newLabel(), p.newLabel()
	p.line("@%s bra %s", few, loop)
	for step := range depth {
		p.multiplyStep(a, b, step)
	}
	p.line("bra %s", done)

	p.mark(loop)
	p.multiplyStep(a, b, 0)
	p.set(a, "add.u32", a, text(p.tile.edges[0]*p.size))
	p.set(b, "add.u32", b, text(p.tile.edges[1]*p.size))
	p.set(steps, "sub.u32", steps, "1")
	p.line("@%s bra %s", p.emit("pred", "setp.ne.u32", steps, "0"), loop)
	p.mark(done)
}

// multiplyStep adds each product of a step to its sum, rounded once.
func (p *product) multiplyStep(a, b string, step int) {
	instruction := "mad.lo." + p.num
	if p.typ[0] == 'f' {
		instruction = "fma.rn." + p.typ
	}
	rows, cols := p.readStep(&p.panels[0], a, step), p.readStep(&p.panels[1], b, step)
	for i, x := range rows {
		for j, y := range cols {
			sum := p.tile.sums[i][j]
			p.set(sum, instruction, x, y, sum)
		}
	}
}

// flush stores the sums of a run in C, or adds them to what is there. Those of later runs are
// added.
func (p *product) flush() {
	add := "add." + p.num
	if p.typ[0] == 'f' {
		add = "add.rn." + p.typ
	}
	t := &p.tile
	m, n := p.narrow("m"), p.narrow("n")
	for i, row := range t.sums {
		down := places(t.edges[0])[i]
		address := p.emit("b64", "mad.lo.u64", t.stride, text(down), t.at)
		hasRow := p.emit("pred", "setp.lt.u32", p.emit("b32", "add.u32", t.row, text(down)), m)
		for j, sum := range row {
			across := places(t.edges[1])[j]
			hasCol := p.emit("pred", "setp.lt.u32", p.emit("b32", "add.u32", t.col, text(across)), n)
			inside := p.emit("pred", "and.pred", hasRow, hasCol)
			adds := p.emit("pred", "and.pred", inside, t.adds)
			at := text(across * p.size)
			before := p.register(p.typ)
			p.line("@%s ld.global.%s %s, [%s+%s]", adds, p.typ, before, address, at)
			p.line("@%s %s %s, %s, %s", adds, add, sum, before, sum)
			p.line("@%s st.global.%s [%s+%s], %s", inside, p.typ, address, at, sum)
		}
	}
	p.set(t.adds, "setp.eq.u32", "0", "0")
}
