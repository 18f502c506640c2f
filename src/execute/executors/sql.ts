// Named statements in a Postgres database, with bound parameters. What a model sends is only ever a value: no text of a statement comes
// from a call.
import type { Pool } from 'pg'
import { Fault, ToolError } from '../../contract/fault.ts'
import type { ExecutionContext, Executor } from '../../contract/tool/executor.ts'
import type { SqlFile, SqlStatement } from '../../contract/tool/executor-files/sql-file.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { SqlCredential } from './sql/pools.ts'
import { bindStatements, runStatements, type Statements, settingsFor } from './sql/run-statements.ts'
import { isSettingName, statementProblems, textProblems } from './sql/statement-problems.ts'

export interface SqlOptions {
  /**
   * `ledger`: the ledger's own database; the effect commits together with its record, exactly once. A pool of the host's own, or the
   * credential that holds the URL of another database.
   */
  readonly database: 'ledger' | { readonly pool: Pool } | SqlCredential
  /** Run in this order, all in one transaction. */
  readonly statements: readonly SqlStatement[]
  /** The statement whose result is the result of the tool; by default its only one, else an object of all by name. */
  readonly result?: string | undefined
  /** More rows are not fetched; `truncated` says so. 1,000 by default. */
  readonly maxRows?: number | undefined
  /** What row policies of another database read the tenant from: app.tenant by default. */
  readonly tenantSetting?: string | undefined
  /** What the statements run as in another database. */
  readonly role?: string | undefined
  readonly version?: string | undefined
}

/**
 * Throws a Fault that names every mistake outside of the texts of its statements. Those are read by the parser of Postgres, which takes a
 * moment to load: when the tool is registered, and in any case before its first call.
 */
export function sql(options: SqlOptions): Executor {
  const { database, statements, result, role, version } = options
  const plan: Statements = {
    statements,
    result,
    maxRows: options.maxRows ?? 1_000,
    tenantSetting: options.tenantSetting ?? 'app.tenant',
    role,
  }
  const problems = [
    ...statementProblems(statements, result),
    ...(isSettingName(plan.tenantSetting) ? [] : ['The tenant is kept in a setting such as app.tenant.']),
    ...(database === 'ledger' && (role !== undefined || options.tenantSetting !== undefined) ? [noSettings] : []),
    ...(Number.isSafeInteger(plan.maxRows) && plan.maxRows >= 1 ? [] : ['maxRows is a whole number from 1 on.']),
  ]
  if (problems.length > 0) throw new Fault('bad_options', problems.join(' '), { details: problems })
  let judged: Promise<readonly string[]> | undefined
  const examine = (): Promise<readonly string[]> => {
    judged ??= import('../../ledger/exact/read-statement.ts').then(async ({ statementReader }) =>
      textProblems(statements, await statementReader()),
    )
    return judged
  }
  const refuseBroken = async () => {
    const [problem] = await examine()
    if (problem === undefined) return
    throw new ToolError('sql_statement', `${problem} Nothing was sent.`, { effect: 'none', class: 'POLICY_VIOLATION' })
  }
  const writes = statements.some(({ access }) => access === 'write')
  const base = {
    kind: 'sql',
    isolated: false,
    version,
    examine,
    leastEffect: writes ? 'EPHEMERAL_WRITE' : undefined,
    readsOnly: !writes,
    names: {
      arguments: statements.flatMap(({ parameters = [] }) =>
        parameters.flatMap((parameter) => ('argument' in parameter ? [parameter.argument] : [])),
      ),
      credentials: typeof database === 'object' && 'credential' in database ? [database.credential] : [],
    },
  } as const
  if (database === 'ledger')
    return {
      ...base,
      commits: 'ledger',
      async run(args, context) {
        await refuseBroken()
        return runInLedger(plan, args, context)
      },
    }
  if ('pool' in database)
    return {
      ...base,
      async run(args, context) {
        const [{ runInPool }] = await Promise.all([import('./sql/run-in-pool.ts'), refuseBroken()])
        return runInPool(database.pool, plan, args, context)
      },
    }
  const owner = {}
  return {
    ...base,
    connects: true,
    async run(args, context) {
      const [{ runInPool }, { poolFor }] = await Promise.all([
        import('./sql/run-in-pool.ts'),
        import('./sql/pools.ts'),
        refuseBroken(),
      ])
      return runInPool(await poolFor(owner, database, context), plan, args, context)
    },
    async close() {
      await (await import('./sql/pools.ts')).releasePools(owner)
    },
  }
}

const noSettings =
  "In the ledger's own database there is neither role nor tenantSetting: tools log in as the role of the ledger's toolUrl, and row policies read proviso.tenant()."

async function runInLedger(plan: Statements, args: JsonObject, context: ExecutionContext): Promise<JsonValue> {
  const { sql: transaction } = context
  if (transaction === undefined)
    throw new ToolError('sql_no_ledger', 'There is no transaction of the ledger to work in. Nothing was done.', {
      effect: 'none',
      class: 'DEPENDENCY_UNAVAILABLE',
    })
  const bound = bindStatements(plan, args, context)
  const [{ exactSettings }, { sqlError }] = await Promise.all([
    import('../../ledger/exact/exact-value.ts'),
    import('./sql/sqlstate.ts'),
  ])
  try {
    const { text, values } = settingsFor(undefined, context, exactSettings)
    await transaction(text, values)
    return await runStatements(plan, bound, (statement) => transaction.exactly(statement))
  } catch (error) {
    throw sqlError(error, 'none')
  }
}

/** The sql executor from its declaration in a tool file. */
export function sqlFromFile(file: SqlFile): Executor {
  const { kind: _kind, max_rows, tenant_setting, ...same } = file
  return sql({ ...same, maxRows: max_rows, tenantSetting: tenant_setting })
}
