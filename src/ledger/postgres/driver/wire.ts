// The wire of a connection, which pg keeps to itself; pg is pinned for that.
import type { ClientBase } from 'pg'

interface Wired {
  readonly connection: { readonly stream: { destroy(error?: Error): void } }
}

/** Ends a connection at once, whatever is under way on it; the server undoes what was not committed. */
export const cut = (client: ClientBase, why?: Error): void => {
  ;(client as unknown as Wired).connection.stream.destroy(why)
}
