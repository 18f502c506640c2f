// A program and files as tools: the program in a sandbox where there is one, the files below one folder.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineTool, openProviso } from '../../src/index.ts'
import { file, runProcess } from '../../src/public/executors.ts'

const notes = await mkdtemp(join(tmpdir(), 'proviso-notes-'))

// #region process
const countWords = defineTool({
  name: 'count_words_v1',
  description: 'Counts the words of a text. Changes nothing.',
  effect: 'READ_ONLY',
  input: {
    type: 'object',
    properties: { text: { type: 'string', maxLength: 100_000 } },
    required: ['text'],
    additionalProperties: false,
  },
  executor: runProcess({
    program: '/usr/bin/wc',
    arguments: ['--words'],
    stdin: '/text',
    isolation: 'none', // trusted like our own code
    network: false, // wc opens no connection: our own word
    limits: { cpuSeconds: 2, memoryBytes: 64 * 1024 * 1024 },
  }),
})
// #endregion process

// #region file
const path = { type: 'string', maxLength: 200 } as const
const writeNote = defineTool({
  name: 'write_note_v1',
  description: 'Writes one new note. Never replaces one.',
  effect: 'LOW_RISK_INTERNAL',
  input: {
    type: 'object',
    properties: { path, content: { type: 'string' } },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  executor: file({ root: notes, operation: 'write' }),
})
const deleteNote = defineTool({
  name: 'delete_note_v1',
  description: 'Deletes one note; it can be restored.',
  effect: 'MEDIUM_RISK_WRITE',
  input: { type: 'object', properties: { path }, required: ['path'], additionalProperties: false },
  executor: file({ root: notes, operation: 'delete' }),
})
// #endregion file

// #region users
const proviso = await openProviso({
  tools: [countWords, writeNote, deleteNote],
  programs: { users: { default: 200_001 } }, // as root: a user of its own for the programs of each tenant
})
// #endregion users
// A run of its own for each: a run that has seen what others may have written is asked about before it deletes.
const ask = async (tool: string, args: object) => {
  const answer = await proviso.call({ tool, arguments: args }, { run: tool })
  console.log(tool, answer.observation.status.taxonomy_class, answer.effect)
}
await ask('count_words_v1', { text: 'one two three; $(rm -rf /)' })
await ask('write_note_v1', { path: 'monday.txt', content: 'Call Ada.' })
await ask('write_note_v1', { path: '../monday.txt', content: 'Call Ada.' })
await ask('delete_note_v1', { path: 'monday.txt' })
await proviso.close()
await rm(notes, { recursive: true })
