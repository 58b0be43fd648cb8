! A rod that cools and notes whether it is still too warm anywhere, and a running mean over it that the processor
! computes, since each of its elements wants the one before: both in each step, on an array of assumed shape.
module rod
  implicit none
contains
  subroutine cool(n, heat, limit, steps, warm)
    double precision, intent(inout) :: heat(:)
    double precision, intent(in) :: limit(:)
    integer, intent(in) :: n, steps
    integer, intent(out) :: warm
    integer :: t, i, above

    warm = 0
    do t = 1, steps
      above = 0
      do i = 2, n - 1
        heat(i) = 0.96d0*heat(i)
        if (heat(i) - limit(i) > 0.01d0) above = 1
      end do
      warm = warm + above
      do i = 2, n - 1
        heat(i) = 0.75d0*heat(i) + 0.25d0*heat(i - 1)
      end do
    end do
  end subroutine cool
end module rod

program main
  use corpus
  use rod
  implicit none
  integer :: nx, ny, nz, steps, warm
  double precision, allocatable :: heat(:), limit(:), warmth(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(heat, points(nx, 1, 1))
    call new_array(limit, points(nx, 1, 1))
    call new_array(warmth, 1)
    call cool(nx, heat(1:max(nx, 0)), limit(1:max(nx, 0)), steps, warm)
    warmth(1) = warm
    call dump('heat', heat)
    call dump('limit', limit)
    call dump('warmth', warmth)
    call end_case()
  end do
end program main
