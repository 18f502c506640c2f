// A database whose clock stands still until it is moved: to the millisecond, and back as well.
import type pg from 'pg'

/** Gives what puts the clock. Ledgers on the database are opened afterwards. */
export async function standClock(admin: pg.Client): Promise<(ms: number) => Promise<void>> {
  await admin.query('create table public.moment (ms float8); insert into public.moment values (0)')
  await admin.query('grant select on public.moment to proviso_reader')
  await admin.query(`create or replace function proviso.clock() returns timestamptz language sql volatile
    as $$ select to_timestamp(ms / 1000) from public.moment $$`)
  return async (ms) => void (await admin.query('update public.moment set ms = $1', [ms]))
}
