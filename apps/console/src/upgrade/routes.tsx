import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

export const upgradeRoutes = (parent: AnyRoute) => [
  createRoute({
    getParentRoute: () => parent,
    path: 'upgrade',
    component: lazyRouteComponent(() => import('./upgrade-page.tsx'), 'UpgradePage'),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: 'upgrade/plan',
    component: lazyRouteComponent(() => import('./plan-page.tsx'), 'PlanPage'),
  }),
]
