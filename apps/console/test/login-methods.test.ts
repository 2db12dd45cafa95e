/** Login methods of each type, edited in Chromium on the mocks. */
import { describe, expect } from 'vitest'
import { axeViolations, executablePath } from './browser.ts'
import { mocked } from './mocked.ts'
import { go } from './pages.ts'

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
/** As a service account has one, which the form of the value shows. */
const ACCOUNT = `${btoa('{"alg":"RS256"}')}.${btoa('{"sub":"system"}')}.c2ln`.replaceAll('=', '')
const KUBERNETES = { Host: 'https://k8s.test', CACert: CERTIFICATE, ServiceAccountJWT: ACCOUNT }
const OIDC = {
  OIDCDiscoveryURL: 'https://login.test',
  OIDCClientID: 'console',
  OIDCClientSecret: 'hush-of-oidc',
  AllowedRedirectURIs: ['https://latchkey.test/ui/'],
}

describe.skipIf(executablePath === undefined)('login methods', () => {
  mocked('an edited method keeps its secret and what the form does not show', async ({ page, mocks }) => {
    const { client, service, open } = mocks
    await client.authMethods.create({ Name: 'k8s', Type: 'kubernetes', IdleTTL: '30m', Config: KUBERNETES })
    await client.authMethods.create({ Name: 'people', Type: 'oidc', MaxTokenTTL: '8h', Config: OIDC })
    await open('/login-methods/k8s', service.managementToken)
    const edit = page.getByRole('button', { name: 'Edit login method' })
    const save = page.getByRole('button', { name: 'Save' })
    const dialog = page.getByRole('dialog')
    const secret = dialog.getByLabel('ServiceAccountJWT')

    await edit.click()
    expect(await secret.inputValue()).toBe('')
    expect(await dialog.getByLabel('Configuration').inputValue()).not.toContain('ServiceAccountJWT')
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByLabel('Description').fill('Pods of the cluster')
    await save.click()
    await page.getByText('Pods of the cluster').waitFor()
    const stored = await client.authMethods.read('k8s')
    expect([stored.IdleTTL, stored.Config, stored.Description]).toEqual([
      '30m0s',
      KUBERNETES,
      'Pods of the cluster',
    ])

    await edit.click()
    const next = `${ACCOUNT}bmV3`
    await secret.fill(next)
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    expect((await client.authMethods.read('k8s')).Config.ServiceAccountJWT).toBe(next)

    await go(page, '/login-methods/people')
    await page.getByRole('heading', { name: 'people' }).waitFor()
    await edit.click()
    await dialog.getByLabel('Token lifetime').fill('2h')
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    const people = await client.authMethods.read('people')
    expect([people.MaxTokenTTL, people.Config]).toEqual(['2h0m0s', OIDC])
    expect(await page.content()).not.toMatch(/hush-of-oidc|c2ln/)
  })

  mocked('a method that is deleted elsewhere stays in its form', async ({ page, mocks }) => {
    const { client, service, open } = mocks
    const method = { Name: 'k8s', Type: 'kubernetes', Config: KUBERNETES }
    await client.authMethods.create(method)
    await open('/login-methods/k8s', service.managementToken)
    await page.getByRole('button', { name: 'Edit login method' }).click()
    await page.getByRole('dialog').getByLabel('Description').fill('Mine')
    await client.authMethods.delete('k8s')
    const again = page.getByRole('button', { name: 'Create again' })
    await again.waitFor()
    await page.getByLabel('ServiceAccountJWT').fill(ACCOUNT)
    await again.click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await client.authMethods.read('k8s')).toMatchObject({ ...method, Description: 'Mine' })
  })

  mocked('a new method begins with an example', async ({ page, mocks: { client, service, open } }) => {
    await open('/login-methods', service.managementToken)
    await page.getByRole('button', { name: 'Create login method' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Type').selectOption('oidc')
    expect(await dialog.getByLabel('Configuration').inputValue()).toContain('OIDCDiscoveryURL')
    await dialog.getByLabel('Type').selectOption('kubernetes')
    expect(await dialog.getByLabel('Configuration').inputValue()).toContain('Host')
    const { ServiceAccountJWT, ...config } = KUBERNETES
    await dialog.getByLabel('Configuration').fill(JSON.stringify(config))
    await dialog.getByLabel('Name').first().fill('k8s')
    await dialog.getByLabel('ServiceAccountJWT').fill(ServiceAccountJWT)
    await dialog.getByRole('button', { name: 'Create login method' }).click()
    await page.getByRole('heading', { name: 'k8s' }).waitFor()
    expect((await client.authMethods.read('k8s')).Config.ServiceAccountJWT).toBe(ACCOUNT)
  })
})
