// `proviso/drift`: schemas that move. The gate before a session, the handler of a backend, pins in a file, releases.
import '../json/needs-node.ts'

export { capabilitiesPath, capabilitiesVersion } from '../drift/capabilities/envelope.ts'
export {
  CapabilitiesContractError,
  SchemaDriftError,
  UnsupportedCloudToolSchema,
} from '../drift/capabilities/errors.ts'
export { capabilitiesGate } from '../drift/capabilities/gate.ts'
export { capabilitiesHandler } from '../drift/capabilities/handler.ts'
export { filePins } from '../drift/pins/file-pins.ts'
export { makeRelease } from '../drift/release/manifest.ts'
