"""PETSc's configure, 3.24 or later, builds Hepta after PETSc. Copy this file to config/BuildSystem/config/packages first:

     ./configure --download-hepta=/path/to/hepta-0.2.0.tar.gz ...

   The tarball is that of `make dist`. The options -download-hepta-cmake-arguments are for Hepta's CMake.
"""
import config.package
import os
import shlex

if not hasattr(config.package.Package, 'addPost'):
  raise RuntimeError(__file__ + ' needs PETSc 3.24 or later, whose configure builds packages after PETSc: remove this file')

class Configure(config.package.Package):
  def __init__(self, framework):
    config.package.Package.__init__(self, framework)
    self.functions              = []
    self.includes               = []
    self.download               = ['file:///give-the-tarball-of-make-dist-as--download-hepta=/path/to/hepta-0.2.0.tar.gz'] # there is no public one
    self.complex                = 0
    self.precisions             = ['single', 'double']
    self.skippackagewithoptions = 1
    self.useddirectly           = 0
    self.linkedbypetsc          = 0
    self.builtafterpetsc        = 1
    return

  def setupHelp(self, help):
    import nargs
    config.package.Package.setupHelp(self, help)
    help.addArgument('HEPTA', '-download-hepta-cmake-arguments=string', nargs.ArgString(None, 0, "Additional CMake arguments for the build of Hepta"))
    return

  def setupDependencies(self, framework):
    config.package.Package.setupDependencies(self, framework)
    self.cmake           = framework.require('config.packages.CMake', self)
    self.sharedLibraries = framework.require('PETSc.options.sharedLibraries', self)
    self.installdir      = framework.require('PETSc.options.installDir', self)
    self.cuda            = framework.require('config.packages.CUDA', self)
    self.mpi             = framework.require('config.packages.MPI', self)
    self.deps            = [self.mpi]
    self.odeps           = [self.cuda]
    return

  def Install(self):
    if not self.checkSharedLibrariesEnabled():
      raise RuntimeError('Hepta is a shared library and needs a shared libpetsc: configure without --with-shared-libraries=0')
    if not self.cmake.found:
      raise RuntimeError('Hepta is built by CMake, which was not found: install it, or configure with --download-cmake')
    if self.argDB['prefix'] and not 'package-prefix-hash' in self.argDB:
      prefix = os.path.abspath(os.path.expanduser(self.argDB['prefix'])) # the rules below run in `make install`
      petsc  = ['-DPETSC_DIR=' + prefix, '-DPETSC_ARCH=']
    else:
      prefix = os.path.join(self.petscdir.dir, self.arch)
      petsc  = ['-DPETSC_DIR=' + self.petscdir.dir, '-DPETSC_ARCH=' + self.arch]
    more    = shlex.split(self.argDB['download-hepta-cmake-arguments'] or '') if 'download-hepta-cmake-arguments' in self.argDB else []
    options = petsc + ['-DCMAKE_INSTALL_PREFIX=' + prefix, '-DHEPTA_TESTS=OFF', '-DHEPTA_CUDA=' + ('ON' if self.cuda.found else 'OFF')] + more
    build   = os.path.join(self.packageDir, 'petsc-build')
    cmake   = 'env -u PETSC_DIR -u PETSC_ARCH ' + self.cmake.cmake
    self.include = [os.path.join(prefix, 'include')]
    self.lib     = [os.path.join(prefix, 'lib', 'libhepta.' + self.setCompilers.sharedLibraryExt)]
    self.addPost(self.packageDir, [' '.join([cmake, '-S', '.', '-B', build] + [shlex.quote(o) for o in options]),
                                   cmake + ' --build ' + build + ' -j ${MAKE_NP}',
                                   cmake + ' --install ' + build])
    self.logPrintBox('Programs load Hepta with -dll_append ' + self.lib[0])
    return self.installDir
