// Statements of queries/*.sql on a connection that a transaction holds.
import type { PoolClient } from 'pg'
import { statement } from './database.ts'
import { patientOn } from './unanswered.ts'

export type Query = <Row extends unknown[]>(name: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/**
 * One after the other, whoever asks: a connection has one statement at a time.
 *
 * @param patient Reading a whole ledger takes longer than a call may wait.
 */
export function queryOn(client: PoolClient, { patient = false } = {}): Query {
  let before: Promise<unknown> = Promise.resolve()
  return <Row extends unknown[]>(name: string, values: readonly unknown[] = []) => {
    const config = { name, text: statement(name), values: values as unknown[], rowMode: 'array' as const }
    const answer = before.then(async () => {
      const { rows } = await (patient ? patientOn(client, () => client.query(config)) : client.query(config))
      return rows as unknown as readonly Row[]
    })
    // Whoever asked is told; whoever asks next is not held up by it.
    before = answer.catch(() => undefined)
    return answer
  }
}
