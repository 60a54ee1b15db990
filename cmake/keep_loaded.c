/* In sanitized test programs: nothing is unloaded, so that the leak check at the end still knows every library */
int dlclose(void *library);

__attribute__((visibility("default"))) int dlclose(void *library)
{
  (void)library;
  return 0;
}
