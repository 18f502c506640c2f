// What a host brings along for its connections; by default what the system and Node have.
import { type Resolve, systemResolve } from './route.ts'

export interface Network {
  /** How names become addresses. Whatever it answers is checked. */
  readonly resolve: Resolve
  /** Certificates to trust in place of those of Node, in PEM. */
  readonly ca: string | undefined
}

export const systemNetwork: Network = { resolve: systemResolve, ca: undefined }
