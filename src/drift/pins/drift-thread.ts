// The thread that compares what is served with its pin. It holds nothing but the sources it was sent, and forgets them with its answer.
import { parentPort } from 'node:worker_threads'
import { findingsByTool } from '../diff/compare.ts'
import type { ToolSnapshot } from '../snapshot.ts'
import type { DriftAnswer, DriftMessage } from './find-drift.ts'

const sent = new Map<number, { readonly before: ToolSnapshot[]; readonly after: ToolSnapshot[] }>()
/** What is sent is read by the other side in one go. */
const findingsAtOnce = 500

parentPort?.on('message', (message: DriftMessage) => {
  const { id } = message
  const tools = sent.get(id) ?? { before: [], after: [] }
  sent.set(id, tools)
  if (message.kind === 'tool') {
    tools[message.side].push(message.tool)
    return
  }
  sent.delete(id)
  const answer = (one: DriftAnswer) => parentPort?.postMessage(one)
  const before = { ...message.before, tools: tools.before }
  const after = { ...message.after, tools: tools.after }
  for (const findings of findingsByTool(before, after, 'pin', { left: message.steps }))
    for (let from = 0; from < findings.length; from += findingsAtOnce)
      answer({ kind: 'found', id, findings: findings.slice(from, from + findingsAtOnce) })
  answer({ kind: 'done', id })
})
