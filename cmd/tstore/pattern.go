package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
)

// A pattern is a word that stands for several names: "weather/*", "weather/t2m_??@monday",
// "weather/*[0:10]". As no name has a bracket, one begins an index, which goes to each name.
type pattern struct {
	match, snapshot, index string
}

// parsePattern reports whether a word is a pattern: it has a * or a ? where a name would stand.
func parsePattern(word string) (pattern, bool) {
	p := pattern{match: word}
	if i := strings.IndexByte(word, '['); i >= 0 {
		p.match, p.index = word[:i], word[i:]
	}
	p.match, p.snapshot, _ = strings.Cut(p.match, "@")
	p.match = strings.TrimSuffix(p.match, "/")

	plain := strings.NewReplacer("*", "x", "?", "x").Replace(p.match)
	return p, plain != p.match && catalog.CheckName(plain) == nil
}

// selector returns what a pattern selects of a name.
func (p pattern) selector(name string) string {
	if p.snapshot != "" {
		name += "@" + p.snapshot
	}
	return name + p.index
}

// A pick is one thing that a word stands for. Its inner name is what it is called in a group or a
// folder that takes it: the last part of its name, with the parts below a group that was taken with
// all that is in it.
type pick struct {
	text, inner string
	item        catalog.Item
}

// withElements are the kinds that patterns pick where elements are read.
var withElements = []catalog.Kind{catalog.KindTensor, catalog.KindLazy}

// picker finds what words stand for.
type picker struct {
	app   *app
	store *tstore.Store
	// recursive takes groups with all that is in them, whole takes them as they are.
	recursive, whole bool
	// expressions says that a word may be an expression.
	expressions bool
	// kinds are those that patterns and groups pick, all if there are none.
	kinds []catalog.Kind
}

// pick returns what words stand for, in their order: a pattern the names that it matches, a group
// with recursive what it holds, anything else itself.
func (p *picker) pick(ctx context.Context, words []string) ([]pick, error) {
	var all []pick
	for _, word := range words {
		found, err := p.word(ctx, word)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (p *picker) word(ctx context.Context, word string) ([]pick, error) {
	pat, ok := parsePattern(word)
	if !ok {
		return p.named(ctx, word)
	}

	// What computes something of names that are there is no pattern.
	var computed error
	if p.expressions {
		if _, computed = compute.Parse(word); computed == nil {
			_, computed = p.store.StatEvaluated(ctx, word)
			if !errors.Is(computed, tstore.ErrNotFound) {
				return []pick{{text: word}}, nil
			}
		}
	}

	found, over, err := p.matches(ctx, pat)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0 && errors.Is(computed, tstore.ErrNotFound):
		return nil, fmt.Errorf("no name matches %q%s; as an expression: %w", word, passedOver(over), computed)
	case len(found) == 0:
		return nil, fmt.Errorf("no name matches %q%s", word, passedOver(over))
	case over > 0:
		p.app.note("%s: passed over %s: -r takes what is in it", printable(word), plural(over, "group"))
	}
	return found, nil
}

// matches returns what a pattern picks, and how many groups it passes over.
func (p *picker) matches(ctx context.Context, pat pattern) (found []pick, over int, err error) {
	for item, err := range p.store.List(ctx, &tstore.ListOptions{Match: pat.match, Snapshot: pat.snapshot}) {
		switch {
		case err != nil:
			return nil, 0, err
		case !item.IsGroup:
			found = p.add(found, pat, path.Dir(item.Name), item)
		case p.whole:
			found = append(found, pick{item.Name, path.Base(item.Name), item})
		case !p.recursive:
			over++
		default:
			if found, err = p.contents(ctx, found, pat, item.Name); err != nil {
				return nil, 0, err
			}
		}
	}
	return found, over, nil
}

// contents adds what a group holds.
func (p *picker) contents(ctx context.Context, found []pick, pat pattern, group string) ([]pick, error) {
	for item, err := range p.store.List(ctx, &tstore.ListOptions{Group: group, Recursive: true, Snapshot: pat.snapshot}) {
		if err != nil {
			return nil, err
		}
		found = p.add(found, pat, path.Dir(group), item)
	}
	return found, nil
}

// add adds an item of a kind that is picked. It is called what its name is below outer.
func (p *picker) add(found []pick, pat pattern, outer string, item catalog.Item) []pick {
	wanted := len(p.kinds) == 0
	for _, kind := range p.kinds {
		wanted = wanted || item.Record.Kind == kind
	}
	if !wanted {
		return found
	}
	return append(found, pick{pat.selector(item.Name), strings.TrimPrefix(item.Name, outer+"/"), item})
}

// named returns what a word that is no pattern stands for.
func (p *picker) named(ctx context.Context, word string) ([]pick, error) {
	name := strings.TrimSuffix(word, "/")
	if !p.recursive || p.whole || !isSource(name) {
		return []pick{p.one(ctx, word)}, nil
	}

	// A name that is there is no group.
	_, err := p.store.Lookup(ctx, name)
	if !errors.Is(err, tstore.ErrNotFound) {
		return []pick{p.one(ctx, word)}, nil
	}
	group, snapshot, _ := strings.Cut(name, "@")
	found, listErr := p.contents(ctx, nil, pattern{snapshot: snapshot}, group)
	if len(found) > 0 || listErr != nil {
		return found, listErr
	}
	return nil, err
}

// one is the pick of a word that stands for itself. An expression has no inner name.
func (p *picker) one(ctx context.Context, word string) pick {
	sel, err := tstore.ParseSelector(strings.TrimSuffix(word, "/"))
	if err == nil && p.expressions {
		_, err = p.store.Lookup(ctx, sel.Name)
	}
	if err != nil {
		return pick{text: word}
	}
	return pick{text: word, inner: path.Base(sel.Name)}
}

// passedOver completes the error of a pattern that matches groups only.
func passedOver(groups int) string {
	if groups == 0 {
		return ""
	}
	return " but " + plural(groups, "group") + ", which -r takes with all that is in them"
}

// registerRecursive adds -r to the flags of a command.
func registerRecursive(flags *pflag.FlagSet, recursive *bool) {
	flags.BoolVarP(recursive, "recursive", "r", false, "take groups with all that is in them")
}

// texts are those of picks.
func texts(picks []pick) []string {
	all := make([]string, len(picks))
	for i, one := range picks {
		all[i] = one.text
	}
	return all
}

// isInto reports whether a target is a group that takes each of the sources before it: it ends in a
// slash. The error says that several sources, or a pattern, need one.
func isInto(sources []string, picks []pick, target string) (bool, error) {
	if strings.HasSuffix(target, "/") {
		return true, nil
	}
	if len(sources) > 1 {
		return false, fmt.Errorf("%s are to go to %q: only a group takes several, %q", plural(len(sources), "source"), target, target+"/")
	}
	if _, ok := parsePattern(sources[0]); ok && picks[0].text != sources[0] {
		return false, fmt.Errorf("%s stands for several names: only a group takes them, %q", sources[0], target+"/")
	}
	return false, nil
}
