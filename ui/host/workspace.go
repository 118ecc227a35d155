package host

import (
	"encoding/json"

	"quell/app/workbench"
	"quell/ui/panel"
)

// Workspace returns all that is open with how it is shown, false if nothing is open that is worth keeping.
func (h *Host) Workspace() (work workbench.Workspace, open bool) {
	work, open = h.Session.Documents.Workspace()
	work.Display = h.Display()
	return work, open
}

// Display returns what the panels keep of how they show series.
func (h *Host) Display() json.RawMessage {
	values := map[string]any{}
	h.keepers(func(k panel.Keeper) { k.Keep(func(name string, value any) { values[name] = value }) })
	data, _ := json.Marshal(values)
	return data
}

// RestoreDisplay gives the panels what was kept of them.
func (h *Host) RestoreDisplay(work workbench.Workspace) {
	if get, known := keptState(work); known {
		h.keepers(func(k panel.Keeper) { k.Restore(get) })
	}
}

// Offered says in sentences, each behind a space, what RestoreDisplay brings back besides how series are shown.
func (h *Host) Offered(work workbench.Workspace) (text string) {
	if get, known := keptState(work); known {
		h.keepers(func(k panel.Keeper) { text += k.Offer(get) })
	}
	return text
}

// keepers calls f for every panel with a state to keep.
func (h *Host) keepers(f func(panel.Keeper)) {
	for _, p := range h.Panels {
		if k, ok := p.(panel.Keeper); ok {
			f(k)
		}
	}
}

// keptState returns what reads the state of panels in saved work; false if there is none.
func keptState(work workbench.Workspace) (get func(name string, into any) bool, known bool) {
	var values map[string]json.RawMessage
	err := json.Unmarshal(work.Display, &values)
	return func(name string, into any) bool {
		value, ok := values[name]
		return ok && json.Unmarshal(value, into) == nil
	}, err == nil
}
