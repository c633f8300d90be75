package powercut

import "slices"

// Kind is what an event does.
type Kind uint8

// The kinds of events.
const (
	Write Kind = iota
	Sync
	Create
	Mkdir
	Rename
	Remove
	SyncDir
	Mark
	// Put is the database made, or replaced by another file: at once, and durably.
	Put
)

// Event is one step of a Log.
type Event struct {
	Kind     Kind
	Path, To string // relative to the folder, with slashes
	Mark     int

	file    int
	changes []change
	// commit is true of the four events of a commit of the database, last of the last.
	commit, last bool
}

// Log is what happened to a folder.
type Log struct {
	start  *disk
	events []Event
}

// After returns the log from a mark on, with all that came before it durable.
func (l *Log) After(mark int) *Log {
	d := l.start.clone()
	for i, e := range l.events {
		if e.Kind == Mark && e.Mark == mark {
			d.syncAll()
			return &Log{start: d, events: l.events[i:]}
		}
		d.apply(e)
	}
	return l.with(nil)
}

// Len returns the number of events, which is that of cuts.
func (l *Log) Len() int { return len(l.events) }

func (l *Log) with(events []Event) *Log { return &Log{start: l.start, events: events} }

// Without returns the log without the events that drop chooses.
func (l *Log) Without(drop func(Event) bool) *Log {
	return l.with(slices.DeleteFunc(slices.Clone(l.events), drop))
}

// IsDataSync is true of the syncs of files other than the database.
func (e Event) IsDataSync() bool { return e.Kind == Sync && !e.commit }

// IsDatabaseSync is true of the two syncs of a commit of the database.
func (e Event) IsDatabaseSync() bool { return e.Kind == Sync && e.commit }

// IsFirstDatabaseSync is true of the sync between the pages of a commit and its meta page.
func (e Event) IsFirstDatabaseSync() bool { return e.IsDatabaseSync() && !e.last }

// AfterCommit returns the log with the chosen events only after the next commit of the database.
func (l *Log) AfterCommit(late func(Event) bool) *Log {
	var events, waiting []Event
	for _, e := range l.events {
		if late(e) {
			waiting = append(waiting, e)
			continue
		}
		events = append(events, e)
		if e.last {
			events = append(events, waiting...)
			waiting = nil
		}
	}
	return l.with(append(events, waiting...))
}

// BeforeCommit returns the log with the chosen events already before the last commit of the
// database.
func (l *Log) BeforeCommit(early func(Event) bool) *Log {
	var events []Event
	begin := -1 // of the last commit
	for _, e := range l.events {
		switch {
		case e.commit && (len(events) == 0 || !events[len(events)-1].commit || events[len(events)-1].last):
			begin = len(events)
		case early(e) && begin >= 0:
			events = slices.Insert(events, begin, e)
			continue
		}
		events = append(events, e)
	}
	return l.with(events)
}
