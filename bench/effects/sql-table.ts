// What a database, a pooler or a database of another making may answer to COMMIT: its own answer, cut at every byte, every state of an
// error, other tags, warnings, and nothing.
import pg from 'pg'
import { sql } from '../../src/public/executors.ts'
import { startDatabases } from '../../test/ledger/databases.ts'
import type { EffectCase, EffectRow, EffectTable } from './effect-table.ts'
import { type CommitPlay, completed, errorReply, ready, sqlGate } from './sql-double.ts'

export const sqlTable: EffectTable = {
  executor: 'sql',
  async open() {
    const databases = await startDatabases()
    const url = await databases.empty()
    const { host, port: socketPort, user, password, database } = new pg.Client(url)
    const direct = new pg.Pool({ connectionString: url, max: 1 })
    await direct.query('create table deeds (deed text)')
    const gate = await sqlGate(`${host}/.s.PGSQL.${socketPort}`)
    const pool = new pg.Pool({ host: '127.0.0.1', port: gate.port, user, password, database, max: 1 })
    // The server may be gone before a connection that is not in use.
    for (const one of [direct, pool]) {
      one.on('error', () => undefined)
      one.on('connect', (client) => client.on('error', () => undefined))
    }
    const executor = sql({
      database: { pool },
      statements: [{ name: 'do', access: 'write', text: "insert into deeds values ('done')" }],
    })
    const caseOf = (name: string, play: Omit<CommitPlay, 'commits'>): EffectCase => ({
      name,
      executor,
      timeoutMs: play.leaves === 'hang' ? 300 : 5_000,
      async arrange(deed) {
        gate.arrange(undefined)
        await direct.query('delete from deeds')
        gate.arrange({ ...play, commits: deed === 'done' })
      },
    })
    return {
      ports: [gate.port],
      rows: rowsOf(caseOf),
      seen: async () => Number((await direct.query('select count(*) from deeds')).rows[0].count),
      async close() {
        gate.arrange(undefined)
        await gate.close()
        await pool.end().catch(() => undefined)
        await direct.end()
        await databases.end()
      },
    }
  },
}

const answer = (...parts: readonly Buffer[]) => Buffer.concat(parts)

function rowsOf(caseOf: (name: string, play: Omit<CommitPlay, 'commits'>) => EffectCase): readonly EffectRow[] {
  const error = (code: string, severity = 'ERROR') =>
    caseOf(`${severity} ${code}`, { answer: answer(errorReply(severity, code), ready) })
  const usual = answer(completed('COMMIT'), ready)
  const failure = answer(errorReply('ERROR', '23505'), ready)
  const cuts = (whole: Buffer, what: string, to: number) =>
    Array.from({ length: to }, (_, cutAt) =>
      (['end', 'reset'] as const).map((leaves) =>
        caseOf(`${cutAt} bytes of ${what}, then ${leaves}`, { answer: whole, cutAt, leaves }),
      ),
    ).flat()
  return [
    {
      came: 'COMMIT',
      effect: 'happened',
      because: 'the database: COMMIT',
      cases: () => [caseOf('its own answer', {}), caseOf('COMMIT', { answer: usual })],
    },
    {
      came: 'ROLLBACK, in place of COMMIT',
      effect: 'none',
      because: 'the database: ROLLBACK',
      cases: () => [caseOf('ROLLBACK', { answer: answer(completed('ROLLBACK'), ready) })],
    },
    {
      came: 'an error that stands against the commit',
      effect: 'none',
      because: 'PostgreSQL, 3.4 and 5.5: an error at COMMIT undoes the transaction',
      cases: () =>
        [
          '23503',
          '23505',
          '23514',
          '40001',
          '40P01',
          '25P02',
          '42501',
          '53100',
          '55P03',
          '57014',
          'P0001',
          '22001',
        ].map((code) => error(code)),
    },
    {
      came: 'an error that does not know, or ends the session',
      effect: 'unknown',
      cases: () => [
        ...[
          '08000',
          '08003',
          '08006',
          '08007',
          '08P01',
          '40003',
          '57P01',
          '57P02',
          '58000',
          '58030',
          'XX000',
          'XXA00',
        ].map((code) => error(code)),
        ...['57P01', '23505', '40001', 'XX000'].flatMap((code) => [error(code, 'FATAL'), error(code, 'PANIC')]),
      ],
    },
    {
      came: 'COMMIT with a warning, or another tag',
      effect: 'unknown',
      cases: () => [
        caseOf('a warning', { answer: answer(errorReply('WARNING', '01000', 'N'), usual) }),
        ...['HELLO', '', 'COMMITTED', 'INSERT 0 1', 'commit'].map((tag) =>
          caseOf(`the tag ${tag}`, { answer: answer(completed(tag), ready) }),
        ),
      ],
    },
    {
      came: 'an answer cut before its end, or none',
      effect: 'unknown',
      cases: () => [
        ...cuts(usual, 'COMMIT', completed('COMMIT').length),
        ...cuts(failure, 'an error', errorReply('ERROR', '23505').length),
        caseOf('nothing for ever', { answer: Buffer.alloc(0), leaves: 'hang' }),
        caseOf('half for ever', { answer: usual, cutAt: 7, leaves: 'hang' }),
      ],
    },
  ]
}
