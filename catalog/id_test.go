package catalog_test

import (
	"encoding/json"
	"testing"

	"github.com/tstore/tstore/catalog"
)

func TestIDInJSON(t *testing.T) {
	id := catalog.NewID()
	text, err := json.Marshal(id)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"` + id.String() + `"`; string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
	var back catalog.ID
	if err := json.Unmarshal(text, &back); err != nil || back != id {
		t.Errorf("read back as %v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`"12"`), &back); err == nil {
		t.Error("a short id was read")
	}
}
