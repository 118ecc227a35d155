package dicom

import "quell/io/dicom/structured"

type (
	// Report is a measurement report about a series that was written.
	Report = structured.Report
	// ReportVolume is the part of a Report on one volume.
	ReportVolume = structured.Volume
	// ReportFigure is a number of a ReportVolume.
	ReportFigure = structured.Figure
	// ReportJudgement is the verdict of a ReportVolume.
	ReportJudgement = structured.Judgement
	// ReportShare is a share of a ReportVolume with its interval.
	ReportShare = structured.Share
)
