import { expect, test } from 'vitest'
import { ConfigError, isListenerExposed, loadConfig } from './config.ts'

const FILES = { LATCHKEY_TLS_CERT: '/run/cert.pem', LATCHKEY_TLS_KEY: '/run/key.pem' }

test.for([
  [{ LATCHKEY_TLS_CERT: '/run/cert.pem' }, /LATCHKEY_TLS_CERT: needs LATCHKEY_TLS_KEY/],
  [{ LATCHKEY_TLS_KEY: '/run/key.pem' }, /LATCHKEY_TLS_CERT: needs LATCHKEY_TLS_KEY/],
  [{ LATCHKEY_TLS_CLIENT_CA: '/run/ca.pem' }, /LATCHKEY_TLS_CLIENT_CA: needs LATCHKEY_TLS_CERT/],
] as const)('TLS settings that lack their companion are refused: %j', ([env, problem]) => {
  expect(() => loadConfig(env)).toThrow(ConfigError)
  expect(() => loadConfig(env)).toThrow(problem)
})

test.for([
  [{ HOST: '0.0.0.0' }, true],
  [{ HOST: 'acl.example.com' }, true],
  [{}, false],
  [{ HOST: '::1' }, false],
  [{ HOST: 'localhost' }, false],
  [{ HOST: '0.0.0.0', ...FILES }, false],
  [{ HOST: '0.0.0.0', LATCHKEY_TRUSTED_PROXIES: '10.0.0.0/8' }, false],
] as const)('a listener on a network without TLS or a proxy is exposed: %j: %s', ([env, isExposed]) => {
  expect(isListenerExposed(loadConfig(env))).toBe(isExposed)
})
