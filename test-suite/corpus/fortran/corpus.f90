! What the Fortran programs share: cases from the command line, memory filled
! with varied values, all of it written out afterwards (see c/corpus.h, whose
! file format this is). Arrays carry guards: elements below 1 and above their size.
module corpus
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  implicit none
  private
  public :: next_case, new_array, dump, end_case, points

  integer, parameter, public :: guard = 61

  interface new_array
    module procedure new_real32, new_real64, new_int32, new_int8
  end interface
  interface dump
    module procedure dump_real32, dump_real64, dump_int32, dump_int8
  end interface

  integer :: done = 0
  integer(int64) :: state = 1
  integer :: unit = -1

contains

  ! The next "size[xsize[xsize]]:steps" of the command line, while there is one.
  logical function next_case(nx, ny, nz, steps)
    integer, intent(out) :: nx, ny, nz, steps
    character(len=64) :: word
    character(len=1024) :: path
    integer :: colon, x, sizes(3), k, status

    done = done + 1
    next_case = done <= command_argument_count()
    nx = 0; ny = 0; nz = 0; steps = 0
    if (.not. next_case) return
    call get_command_argument(done, word)
    colon = index(word, ':')
    read (word(colon + 1:), *) steps
    word(colon:) = ' '
    k = 0
    do
      k = k + 1
      x = index(word, 'x')
      if (x > 0) then
        read (word(:x - 1), *) sizes(k)
        word = word(x + 1:)
      else
        read (word, *) sizes(k)
        sizes(k:) = sizes(k)
        exit
      end if
    end do
    nx = sizes(1); ny = sizes(2); nz = sizes(3)
    state = 20261 + done

    call get_environment_variable('CORPUS_OUT', path, status=status)
    if (status /= 0) path = '/dev/null'
    if (done == 1) then
      open (newunit=unit, file=trim(path), access='stream', form='unformatted', status='replace')
    else
      open (newunit=unit, file=trim(path), access='stream', form='unformatted', status='old', &
            position='append')
    end if
    write (unit) 'C', int(nx, int32), int(ny, int32), int(nz, int32), int(steps, int32)
  end function next_case

  subroutine end_case()
    close (unit)
  end subroutine end_case

  integer function points(nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    points = max(nx, 0)*max(ny, 0)*max(nz, 0)
  end function points

  real(real64) function random(denormal)
    real(real64), intent(in) :: denormal
    integer(int64) :: kind
    state = mod(state*48271_int64, 2147483647_int64)
    kind = mod(state/7, 128_int64)
    random = real(state, real64)/2147483647.0_real64
    if (kind == 0) random = 0.0_real64
    if (kind == 1) random = denormal*aint(1000*random)
    if (kind == 2) random = 100*random
    state = mod(state*48271_int64, 2147483647_int64)
    if (mod(state/5, 2_int64) == 0) random = -random
  end function random

  subroutine new_real32(a, n)
    real(real32), allocatable, intent(out) :: a(:)
    integer, intent(in) :: n
    integer :: i
    allocate (a(1 - guard:n + guard))
    do i = 1 - guard, n + guard
      a(i) = real(random(1e-44_real64), real32)
    end do
  end subroutine new_real32

  subroutine new_real64(a, n)
    real(real64), allocatable, intent(out) :: a(:)
    integer, intent(in) :: n
    integer :: i
    allocate (a(1 - guard:n + guard))
    do i = 1 - guard, n + guard
      a(i) = random(5e-323_real64)
    end do
  end subroutine new_real64

  subroutine new_int32(a, n)
    integer(int32), allocatable, intent(out) :: a(:)
    integer, intent(in) :: n
    integer :: i
    allocate (a(1 - guard:n + guard))
    do i = 1 - guard, n + guard
      a(i) = int(4096*random(0.0_real64))
    end do
  end subroutine new_int32

  ! Seven bits: nothing overflows where they are added up as they are.
  subroutine new_int8(a, n)
    integer(int8), allocatable, intent(out) :: a(:)
    integer, intent(in) :: n
    integer :: i
    allocate (a(1 - guard:n + guard))
    do i = 1 - guard, n + guard
      a(i) = int(iand(int(128*random(0.0_real64)), 127), int8)
    end do
  end subroutine new_int8

  subroutine dump_real32(name, a)
    character(len=*), intent(in) :: name
    real(real32), intent(in) :: a(:)
    write (unit) 'A', len(name, int32), name, 'f', int(guard, int64), size(a, kind=int64) - 2*guard, a
  end subroutine dump_real32

  subroutine dump_real64(name, a)
    character(len=*), intent(in) :: name
    real(real64), intent(in) :: a(:)
    write (unit) 'A', len(name, int32), name, 'd', int(guard, int64), size(a, kind=int64) - 2*guard, a
  end subroutine dump_real64

  subroutine dump_int32(name, a)
    character(len=*), intent(in) :: name
    integer(int32), intent(in) :: a(:)
    write (unit) 'A', len(name, int32), name, 'i', int(guard, int64), size(a, kind=int64) - 2*guard, a
  end subroutine dump_int32

  subroutine dump_int8(name, a)
    character(len=*), intent(in) :: name
    integer(int8), intent(in) :: a(:)
    write (unit) 'A', len(name, int32), name, 'b', int(guard, int64), size(a, kind=int64) - 2*guard, a
  end subroutine dump_int8

end module corpus
