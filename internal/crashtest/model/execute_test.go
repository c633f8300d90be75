package model

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// gpu computes the steps that say so.
var gpu = devicetest.New(nil)

// do does a step to a store, or as part of a transaction if s is the handle of one. files is the
// folder of adopted files.
func do(ctx context.Context, s *tstore.Store, st step, files string) error {
	v := value{}
	if st.Shape != nil && st.DType != "" {
		v = counting(st.DType, st.Shape, st.First)
	}
	fortran := st.Order == "F"
	switch st.Do {
	case "create":
		if st.Flag {
			return s.CreateFilled(ctx, st.Name, v.source(fortran).Spec, v.into(ctx))
		}
		return s.Create(ctx, st.Name, v.source(fortran))
	case "import":
		return importTensor(ctx, s, st, v)
	case "pack":
		return pack(ctx, s, st, v)
	case "adopt":
		return adopt(ctx, s, st, v, filepath.Join(files, st.To))
	case "copy":
		return s.Copy(ctx, st.To, st.Name+st.Part.String(), &tstore.ImportOptions{NoSeal: true, Overwrite: st.Flag})
	case "view":
		return s.View(ctx, st.To, st.Name+st.Part.String())
	case "rename":
		return s.Rename(ctx, st.Name, st.To)
	case "delete":
		return s.Delete(ctx, st.Names...)
	case "replace":
		if !st.Flag {
			return s.Replace(ctx, st.Name, v.source(fortran))
		}
		return s.Update(ctx, func(tx *tstore.Tx) error { return tx.ReplaceFilled(st.Name, v.source(fortran).Spec, v.into(ctx)) })
	case "append":
		return s.Append(ctx, st.Name, v.source(false))
	case "resize":
		if st.Flag {
			return s.Grow(ctx, st.Name, st.Shape...)
		}
		return s.Resize(ctx, st.Name, st.Shape...)
	}
	return doMore(ctx, s, st, files)
}

// importTensor imports an array, or as many rows as come.
func importTensor(ctx context.Context, s *tstore.Store, st step, v value) error {
	src, o := v.source(st.Order == "F"), &tstore.ImportOptions{NoSeal: !st.Flag}
	if st.Order == "F" || len(st.Shape) == 0 || st.First%2 == 0 {
		return s.Import(ctx, st.Name, src, o)
	}
	read := false
	return s.ImportRows(ctx, st.Name, src.Spec, func() (tstore.Source, error) {
		if read {
			return tstore.Source{}, io.EOF
		}
		read = true
		return src, nil
	}, o)
}

func doMore(ctx context.Context, s *tstore.Store, st step, files string) error {
	sel := st.Name + st.Part.String()
	switch st.Do {
	case "set":
		return set(ctx, s, sel, st)
	case "fill":
		return s.Fill(ctx, sel, dtype.ScalarOf(st.First))
	case "write":
		return writeInPlace(ctx, s, sel, st.First)
	case "eval":
		o := &tstore.EvalOptions{InPlace: st.Flag, Journal: tstore.Journal{Must: st.Count > 0}}
		if st.GPU {
			o.Compute.Device = gpu
		}
		r, err := s.Eval(ctx, program(st.Stmts), o)
		if st.Count > 0 && errors.Is(err, tstore.ErrNotResumable) {
			o.Journal = tstore.Journal{}
			r, err = s.Eval(ctx, program(st.Stmts), o)
		}
		return done(r, err)
	case "define":
		return s.Define(ctx, st.Name, st.Expr.String(), &tstore.DefineOptions{Materialize: st.Flag})
	case "redo":
		return s.Materialize(ctx, st.Name, nil)
	case "seal":
		return s.Seal(ctx, st.Name, nil)
	case "unseal":
		return s.Unseal(ctx, st.Name)
	case "attr":
		if st.Flag {
			return s.DeleteAttr(ctx, st.Name, st.To)
		}
		return s.SetAttr(ctx, st.Name, st.To, catalog.IntValue(st.First))
	case "blob":
		return s.PutBlob(ctx, st.Name, catalog.IntValue(st.First))
	case "keep":
		_, err := s.CreateSnapshot(ctx, st.Name, "")
		return err
	case "forget":
		_, err := s.RemoveSnapshot(ctx, st.Name)
		return err
	case "restore", "bring":
		_, err := s.RestoreSnapshot(ctx, st.Name, st.Names...)
		return err
	case "update":
		return update(ctx, s, st, files)
	case "gc":
		_, err := s.GC(ctx, nil)
		return err
	case "compact":
		_, _, err := s.Compact(ctx)
		return err
	case "repair":
		_, err := s.Repair(ctx, nil)
		return err
	}
	panic("BUG: step " + st.Do)
}

// into fills a tensor with the array.
func (v value) into(ctx context.Context) func(*view.Tensor) error {
	return func(dst *view.Tensor) error {
		src, err := v.tensor()
		if err != nil {
			return err
		}
		defer src.Close()
		return view.Copy(ctx, dst, src)
	}
}

// pack imports several tensors in one transaction.
func pack(ctx context.Context, s *tstore.Store, st step, v value) error {
	return s.Update(ctx, func(tx *tstore.Tx) error {
		for _, name := range st.Names {
			if err := tx.Import(name, v.source(false), &tstore.ImportOptions{NoSeal: !st.Flag}); err != nil {
				return err
			}
		}
		return nil
	})
}

func adopt(ctx context.Context, s *tstore.Store, st step, v value, path string) error {
	if err := os.WriteFile(path, v.bytes(false), 0o644); err != nil {
		return err
	}
	return s.Adopt(ctx, st.Name, tstore.Foreign{Spec: v.source(false).Spec, Path: path})
}

func set(ctx context.Context, s *tstore.Store, sel string, st step) error {
	info, err := s.Stat(ctx, st.Name)
	if err != nil {
		return err
	}
	shape, _, err := st.Part.of(info.Layout.Shape())
	if err != nil {
		return err
	}
	src, err := counting("int64", shape, st.First).tensor()
	if err != nil {
		return err
	}
	defer src.Close()
	return s.Set(ctx, sel, src)
}

func writeInPlace(ctx context.Context, s *tstore.Store, sel string, x int64) error {
	w, err := s.OpenWritable(ctx, sel)
	if err != nil {
		return err
	}
	return errors.Join(view.Fill(ctx, w.Tensor, dtype.ScalarOf(x-1)), w.Flush(), view.Fill(ctx, w.Tensor, dtype.ScalarOf(x)), w.Close())
}

// update does the steps of a transaction. Errors of a transaction in it are passed over: none of
// either may be left.
func update(ctx context.Context, s *tstore.Store, st step, files string) error {
	return s.Update(ctx, func(tx *tstore.Tx) error {
		for _, sub := range st.Sub {
			if err := do(ctx, tx.Store(), sub, files); err != nil && sub.Do != "update" {
				return err
			}
		}
		if st.Flag {
			return errAbort
		}
		return nil
	})
}

func done(r *tstore.EvalResult, err error) error {
	if err != nil {
		return err
	}
	return r.Close()
}
