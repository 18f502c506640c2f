// Reads saga files (YAML or JSON, one saga each) from a folder. A bad file is refused with its path, the pointer and what to write.
import { resolve } from 'node:path'
import { Fault } from '../contract/fault.ts'
import type { SagaDefinition } from '../contract/saga/saga.ts'
import { type FileSaga, sagaFileSchema, sagaOfFile } from '../contract/saga/saga-schema.ts'
import type { Problem } from '../contract/tool/compile-tool.ts'
import type { CompiledSchema } from '../contract/tool/tool.ts'
import { filesNamed } from './load-contracts.ts'
import { readDocument } from './read-document.ts'

export interface LoadedSaga extends SagaDefinition {
  readonly file: string
}

/** Every saga file of a folder and its subfolders, or one file. Throws one Fault that names every problem found. */
export async function loadSagas(path: string): Promise<readonly LoadedSaga[]> {
  const files = await filesNamed(resolve(path), /\.saga\.(?:ya?ml|json)$/)
  const results = await Promise.all(files.map(async (file) => ({ file, ...(await readSagaFile(file)) })))
  const problems = results.flatMap((result) =>
    result.ok
      ? []
      : result.problems.map(
          ({ pointer, message }) => `${result.file}${pointer === '' ? '' : `#${pointer}`}: ${message}`,
        ),
  )
  if (problems.length > 0) throw new Fault('bad_tool_file', problems.join('\n'), { details: problems })
  return results.flatMap((result) => (result.ok ? [{ ...result.saga, file: result.file }] : []))
}

type SagaReading =
  | { readonly ok: true; readonly saga: SagaDefinition }
  | { readonly ok: false; readonly problems: readonly Problem[] }

let schema: CompiledSchema | undefined

async function readSagaFile(file: string): Promise<SagaReading> {
  const parsed = await readDocument(file)
  if (!parsed.ok) return parsed
  schema ??= await compiled()
  if (schema.matches(parsed.value)) return { ok: true, saga: sagaOfFile(parsed.value as unknown as FileSaga) }
  const problems = schema
    .explain(parsed.value, [])
    .map(({ pointer, message, expected }) => ({ pointer, message: `${message} Expected: ${expected}.` }))
  return { ok: false, problems }
}

async function compiled(): Promise<CompiledSchema> {
  const { compileSchema } = await import('../contract/tool/compile-tool.ts')
  const compilation = compileSchema(sagaFileSchema, '')
  if (!compilation.ok) throw new Fault('internal', 'The schema of saga files is broken.')
  return compilation.schema
}
