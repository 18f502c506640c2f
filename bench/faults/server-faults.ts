// What is done to a running Postgres: stopped, killed, cut off, made to stand still, changed under traffic, left without room.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostmaster } from '../../src/ledger/embedded/postmaster.ts'
import { isConnectionLoss } from '../../src/ledger/postgres/driver/errors.ts'
import type { Server, Site } from './site.ts'
import { until } from './until.ts'

export async function restart(server: Server, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const pid = await findPostmaster(server.data)
  if (pid === undefined) throw new Error('There is no server to stop.')
  if (signal === 'SIGTERM') {
    // The patient way to stop waits for clients, and these never leave by themselves: it is followed by the fast one.
    process.kill(pid, 'SIGTERM')
    await sleep(300)
    process.kill(pid, 'SIGINT')
  } else process.kill(pid, signal)
  await until(async () => (await findPostmaster(server.data)) === undefined, 30_000)
  await server.startAgain()
}

export async function cutConnections(site: Site, forMs: number): Promise<void> {
  const end = performance.now() + forMs
  while (performance.now() < end) {
    await site.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'proviso' and pid <> pg_backend_pid()`,
    )
    await sleep(40)
  }
}

/** Every process of the server stands still, as on a machine that is frozen and thawed. */
export async function pauseServer(server: Server, forMs: number): Promise<void> {
  const postmaster = await findPostmaster(server.data)
  if (postmaster === undefined) throw new Error('There is no server to pause.')
  const stopped = [postmaster]
  process.kill(postmaster, 'SIGSTOP')
  for (const pid of childrenOf(postmaster)) {
    process.kill(pid, 'SIGSTOP')
    stopped.push(pid)
  }
  await sleep(forMs)
  for (const pid of stopped.reverse()) process.kill(pid, 'SIGCONT')
}

function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent
      } catch {
        return false
      }
    })
}

/** A later version arrives while calls run: more columns, and the functions replaced. */
export async function migrateUnderTraffic(site: Site, times: number): Promise<void> {
  for (let time = 1; time <= times; time++) {
    const text = `
      set lock_timeout = '2s';
      alter table proviso.calls add column later_${time} text;
      alter table proviso.idempotency_keys add column later_${time} integer not null default ${time};
      alter table proviso.facts add column later_${time} text;
      do $$ declare definition text; begin
        for definition in select pg_get_functiondef(p.oid) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
          where n.nspname = 'proviso' and p.prokind = 'f' and p.proname in ('admit_v1', 'record_v1', 'newest_slot_v1', 'slot_json_v1', 'slot_verdict_v1', 'epoch_ms') loop
          execute definition;
        end loop;
      end $$`
    for (let tries = 0; ; tries++) {
      try {
        await site.query(text)
        break
      } catch (error) {
        if (tries > 20 || !(isConnectionLoss(error) || isLockTimeout(error))) throw error
        await sleep(50)
      }
    }
    await sleep(250)
  }
}

const isLockTimeout = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03'
