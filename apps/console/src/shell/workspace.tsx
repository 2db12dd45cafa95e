import { RouterProvider } from '@tanstack/react-router'
import { router } from '../router.tsx'

/** All pages of a person who is signed in. */
export default function Workspace() {
  return <RouterProvider router={router} />
}
