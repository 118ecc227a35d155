package dicom

import "quell/io/dicom/structured"

// Report is a measurement report about a series that was written.
type Report = structured.Report

// What a Report holds.
type (
	ReportVolume    = structured.Volume
	ReportFigure    = structured.Figure
	ReportJudgement = structured.Judgement
	ReportLesion    = structured.Lesion
)
