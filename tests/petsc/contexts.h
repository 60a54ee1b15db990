/* Another device context, with a stream of its own */
#pragma once

#include <petscdevice.h>

static inline PetscErrorCode NewContext(PetscDeviceContext *context)
{
  PetscDeviceContext current;
  PetscDevice        device;

  PetscFunctionBegin;
  PetscCall(PetscDeviceContextGetCurrentContext(&current));
  PetscCall(PetscDeviceContextGetDevice(current, &device));
  PetscCall(PetscDeviceContextCreate(context));
  PetscCall(PetscDeviceContextSetDevice(*context, device));
  PetscCall(PetscDeviceContextSetStreamType(*context, PETSC_STREAM_NONBLOCKING));
  PetscCall(PetscDeviceContextSetUp(*context));
  PetscFunctionReturn(PETSC_SUCCESS);
}
