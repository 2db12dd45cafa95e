import { NAVIGATION, type NavigationGroup } from '../navigation.ts'
import { serverFacts } from '../server-facts.ts'
import { useOffers } from '../session/use-rights.ts'

/** The pages that the person may use, in this edition. */
export function useNavigation(): readonly NavigationGroup[] {
  const offers = useOffers()
  return NAVIGATION.map((group) => ({
    ...group,
    items: group.items.filter(
      ({ needs, extendedOnly }) =>
        (!extendedOnly || serverFacts.edition === 'extended') && offers(needs) === true,
    ),
  })).filter(({ items }) => items.length > 0)
}
