// Statements of statements/*.sql on a connection that a transaction holds.
import type { PoolClient } from 'pg'
import { statement } from './statements.ts'
import { patientOn } from './unanswered.ts'

export type Query = <Row extends unknown[]>(
  name: string,
  values?: readonly unknown[],
  text?: string,
) => Promise<readonly Row[]>

/**
 * One after the other: a connection has one statement at a time.
 *
 * @param patient Reading a whole ledger takes longer than a call may wait.
 */
export function queryOn(client: PoolClient, { patient = false } = {}): Query {
  let before: Promise<unknown> = Promise.resolve()
  return <Row extends unknown[]>(name: string, values: readonly unknown[] = [], text: string = statement(name)) => {
    const config = { name, text, values: values as unknown[], rowMode: 'array' as const }
    const answer = before.then(async () => {
      const { rows } = await (patient ? patientOn(client, () => client.query(config)) : client.query(config))
      return rows as unknown as readonly Row[]
    })
    // Its caller gets the error; the next statement is not stopped by it.
    before = answer.catch(() => undefined)
    return answer
  }
}
