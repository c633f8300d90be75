package wire

// Message writes a message inside the message if set, or reads it into v. It reports whether it has
// read it.
func Message[T any](c *Coder, num Num, set bool, v *T, fields func(*T, *Coder)) (read bool) {
	if c.writing && set {
		c.write(num, func() { fields(v, c) })
	}
	for c.at(num, bytesType) {
		c.read(func() { fields(v, c) })
		read = true
	}
	return read
}

// List is one message for each element of v, at most limit of them.
func List[T any](c *Coder, num Num, limit int, v *[]T, fields func(*T, *Coder)) {
	if c.writing {
		for i := range *v {
			c.write(num, func() { fields(&(*v)[i], c) })
		}
	}
	for c.at(num, bytesType) {
		var item T
		c.read(func() { fields(&item, c) })
		*v = append(*v, item)
		c.limit(len(*v), limit)
	}
}

// write writes the message that fields lists.
func (c *Coder) write(num Num, fields func()) {
	outer := c.b
	c.b = nil
	fields()

	message := c.b
	c.b = outer
	c.Raw(num, true, &message)
}

// read reads the field at hand as a message of the fields that fields lists.
func (c *Coder) read(fields func()) {
	message := c.take().b
	outer := *c
	*c = reader(message)
	for c.more() {
		fields()
	}

	err := c.err
	*c = outer
	if err != nil {
		c.Fail(err)
	}
}
