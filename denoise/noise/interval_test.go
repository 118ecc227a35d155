package noise

import "testing"

func TestGiven(t *testing.T) {
	e := Estimate{
		Figure: Figure{Sigma: 9, Confidence: Low}, Negligible: true, Model: Rician, ModelKnown: true, Method: methodDifferences,
		PerSlice: []Figure{{Sigma: 8, Confidence: High}},
	}
	few, many := e.Given(4, 799), e.Given(4, 800)
	if few.Confidence != Fair || few.MayBeTexture() || many.Confidence != High {
		t.Errorf("of 799 voxels %+v, of 800 %+v", few.Figure, many.Figure)
	}
	if few.Negligible || few.Slice(0).Sigma != 4 || few.Model != Rician || !few.ModelKnown || few.Why.String() == "" {
		t.Errorf("%+v", few)
	}
	if stated := e.Given(4, 0); stated.Confidence != High || !stated.Why.IsZero() || stated.Negligible || stated.Sigma != 4 {
		t.Errorf("stated: %+v", stated)
	}
	if e.Sigma != 9 || len(e.PerSlice) != 1 {
		t.Errorf("the estimate itself has become %+v", e)
	}
}
