package ptx

// FunctionOf returns the function of a name, nil if there is none.
func FunctionOf(name string) *Function { return functions()[name] }

// Functions returns all functions, by their names.
func Functions() map[string]*Function { return functions() }
