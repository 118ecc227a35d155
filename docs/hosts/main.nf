// Every series of a folder by one recipe, each a task of Nextflow:
//   nextflow run main.nf --cohort study --denoised denoised --preset mr-brain-3d
// Exit code 3 says that an input is unreadable or refused: the others go on.
nextflow.enable.dsl = 2

params.cohort = 'cohort'
params.denoised = 'denoised'
params.preset = 'mr-brain-3d'

process DENOISE {
    container 'quell:latest'
    cpus 4
    memory '8 GB'
    publishDir params.denoised, mode: 'copy'
    errorStrategy { task.exitStatus == 3 ? 'ignore' : 'retry' }
    maxRetries 2

    input:
    path image, stageAs: 'in/*'

    output:
    path "${image.name}", emit: image
    path "${image.name}.recipe.json", emit: recipe
    path "${image.simpleName}.json", emit: report

    script:
    """
    quell denoise '${image}' '${image.name}' --preset '${params.preset}' --assess --json \\
        --threads ${task.cpus} --memory ${task.memory.toMega()}MB >'${image.simpleName}.json'
    """
}

workflow {
    DENOISE(channel.fromPath("${params.cohort}/*.nii.gz"))
}
