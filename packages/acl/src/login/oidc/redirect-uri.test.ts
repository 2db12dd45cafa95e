import { expect, test } from 'vitest'
import { isRedirectUriAllowed } from './login-state.ts'

const ALLOWED = [
  'https://ok.example/cb',
  'http://localhost:8550/oidc/callback',
  'http://127.0.0.1/cb?tab=1',
  'http://[::1]:9000/cb',
]

test.each([
  'https://ok.example/cb',
  'http://localhost:8550/oidc/callback',
  'http://localhost:51234/oidc/callback',
  'http://localhost/oidc/callback',
  'http://127.0.0.1:65535/cb?tab=1',
  'http://[::1]:1/cb',
])('%s is allowed', (uri) => {
  expect(isRedirectUriAllowed(uri, ALLOWED)).toBe(true)
})

test.each([
  '',
  'https://ok.example/cb/',
  'https://ok.example/cb?x=1',
  'https://ok.example/cb#x',
  'https://ok.example:443/cb',
  'https://OK.example/cb',
  'https://ok.example/CB',
  'https://ok.example/%63b',
  'https://ok.example/x/../cb',
  'https://ok.example.evil.example/cb',
  'https://user@ok.example/cb',
  'http://ok.example/cb',
  ' https://ok.example/cb',
  'https://localhost:8550/oidc/callback',
  'http://localhost.evil.example:8550/oidc/callback',
  'http://localhost.:8550/oidc/callback',
  'http://LOCALHOST:8550/oidc/callback',
  'http://localhost:8550@evil.example/oidc/callback',
  'http://evil@localhost:8550/oidc/callback',
  'http://localhost:8550/oidc/callback/',
  'http://localhost:8550/oidc/callback?x=1',
  'http://localhost:8550/oidc/callback#x',
  'http://localhost:8550\\@evil.example/oidc/callback',
  'http://localhost:/oidc/callback',
  'http://localhost:855000/oidc/callback',
  'http://127.0.0.1:8550/oidc/callback',
  'http://127.1:8550/cb?tab=1',
  'http://127.0.0.1@evil.example/cb?tab=1',
  'http://127.0.0.1.evil.example/cb?tab=1',
  'http://[::1%25x]:9000/cb',
  'http://[::01]:9000/cb',
  'http://0:9000/cb',
  'javascript:alert(1)',
])('ATT-49: %s is not', (uri) => {
  expect(isRedirectUriAllowed(uri, ALLOWED)).toBe(false)
})

test('the port counts everywhere but on a loopback host', () => {
  expect(isRedirectUriAllowed('https://ok.example:8443/cb', ['https://ok.example:8444/cb'])).toBe(false)
})
