// Statements of queries/*.sql on a connection that a transaction holds.
import type { PoolClient } from 'pg'
import { statement } from './database.ts'

export type Query = <Row extends unknown[]>(name: string, values?: readonly unknown[]) => Promise<readonly Row[]>

/** Reading a whole ledger takes longer than a call may wait: such statements are given this long. */
const patientMs = 3_600_000

/** One after the other, whoever asks: a connection has one statement at a time. */
export function queryOn(client: PoolClient, { patient = false } = {}): Query {
  const timeout = patient ? { query_timeout: patientMs } : {}
  let before: Promise<unknown> = Promise.resolve()
  return <Row extends unknown[]>(name: string, values: readonly unknown[] = []) => {
    const config = { name, text: statement(name), values: values as unknown[], rowMode: 'array' as const, ...timeout }
    const answer = before.then(async () => {
      const { rows } = await client.query(config)
      return rows as unknown as readonly Row[]
    })
    // Whoever asked is told; whoever asks next is not held up by it.
    before = answer.catch(() => undefined)
    return answer
  }
}
