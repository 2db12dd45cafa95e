import { expect, test } from 'vitest'
import { canonicalIp } from './ip-address.ts'

test('reads every notation of an IP address as one', () => {
  const notations = {
    '10.0.0.1': ['10.0.0.1', '::ffff:10.0.0.1', '::FFFF:a00:1', '0:0:0:0:0:ffff:10.0.0.1'],
    'fe80:0:0:0:0:0:0:1': ['fe80::1', 'FE80:0::0:1', 'fe80:0000:0:0:0:0:0:1', 'fe80::0.0.0.1'],
    '0:0:0:0:0:0:0:0': ['::', '0::', '::0', '0:0:0:0:0:0:0:0'],
    '1:2:3:4:5:6:7:0': ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  }
  for (const [canonical, texts] of Object.entries(notations)) {
    for (const text of texts) expect(canonicalIp(text), text).toBe(canonical)
  }
})

test('refuses what is no IP address', () => {
  const texts = ['', 'web', '10.0.0', '10.0.0.256', '010.0.0.1', '10.0.0.1.', ':', ':::', '1::2::3', '1:2:3']
  const more = [
    'fe80::1%eth0',
    '1:2:3:4:5:6:7:8::',
    '1:2:3:4:5:6:7:8:9',
    '10.0.0.1::',
    '::g',
    '12345::',
    '::1.2.3',
  ]
  for (const text of [...texts, ...more]) expect(canonicalIp(text), text).toBeUndefined()
})
