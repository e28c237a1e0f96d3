import { useEffect, useState } from 'react';
import type { OperationKind } from '../../../core/contract/admin.ts';
import { answered } from '../data/bridge.ts';
import { useServices } from '../data/services.ts';

/** The operations that the host allows; none until it has said so. */
export function useOperations(): readonly OperationKind[] {
  const { bridge } = useServices();
  const [allowed, setAllowed] = useState<readonly OperationKind[]>([]);
  useEffect(() => {
    void answered(bridge.about()).then((answer) => answer.ok && setAllowed(answer.value.operations));
  }, [bridge]);
  return allowed;
}
