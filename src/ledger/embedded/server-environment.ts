// The environment of initdb and postgres: fixed, so that no PGDATA, PGOPTIONS or locale of the caller changes what they do.

export const serverEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
